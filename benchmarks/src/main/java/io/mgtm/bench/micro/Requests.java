package io.mgtm.bench.micro;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandCodec;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.state.GtmState;
import java.nio.ByteBuffer;

/** The commands that several benchmarks need. */
final class Requests {
  static final TransactionCommand BEGIN =
      new TransactionCommand.Begin(
          1, Command.NO_BACKEND, Isolation.READ_COMMITTED, false, BeginKind.GXID);

  private Requests() {}

  /** Writes a command as a gateway keeps and sends it, over what {@code to} holds. */
  static ByteBuffer encodeForLink(Command command, ByteBuffer to) {
    to.clear().putShort(Command.NO_BACKEND);
    CommandCodec.encode(command, to);
    return to.flip();
  }

  /** Begins a transaction; its gxid. */
  static int begin(GtmState state) {
    return ((TransactionReply.Began) state.apply(BEGIN)).gxid();
  }

  static void commit(GtmState state, int gxid) {
    state.apply(new TransactionCommand.End(TransactionRef.gxid(gxid), Outcome.COMMIT));
  }
}
