package io.mgtm.bench.load;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.wire.xc12.RequestEncoder;
import io.mgtm.gtm.wire.xc12.Startup;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumMap;
import java.util.Map;

/**
 * One connection's requests, encoded once; a gxid, where there is one, is the last field of its
 * frame. One thread.
 */
final class RequestTemplates {
  private final ByteBuffer startup;
  private final Map<Operation, ByteBuffer> requests = new EnumMap<>(Operation.class);

  RequestTemplates(String nodeName, String sequenceKey) {
    RequestEncoder encoder = new RequestEncoder();
    ByteBuf out = Unpooled.buffer();
    encoder.startup(out, new Startup(nodeName, NodeType.DEFAULT, false));
    startup = direct(out);
    for (Operation operation : Operation.values()) {
      encoder.command(out.clear(), false, Command.NO_BACKEND, command(operation, sequenceKey));
      requests.put(operation, direct(out));
    }
  }

  private static ByteBuffer direct(ByteBuf encoded) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(encoded.readableBytes());
    encoded.readBytes(bytes);
    return bytes.order(ByteOrder.LITTLE_ENDIAN);
  }

  private static Command command(Operation operation, String sequenceKey) {
    TransactionRef any = TransactionRef.gxid(0);
    return switch (operation) {
      case BEGIN ->
          new TransactionCommand.Begin(
              0, Command.NO_BACKEND, Isolation.READ_COMMITTED, false, BeginKind.GXID);
      case SNAPSHOT -> new SnapshotCommand.GetSnapshot(any);
      case COMMIT -> new TransactionCommand.End(any, Outcome.COMMIT);
      case ROLLBACK -> new TransactionCommand.End(any, Outcome.ROLLBACK);
      case NEXT_VALUE -> new SequenceCommand.NextValue(sequenceKey);
    };
  }

  /** The startup packet. */
  ByteBuffer startup() {
    return startup.clear();
  }

  /** A request that has no gxid. */
  ByteBuffer request(Operation operation) {
    return requests.get(operation).clear();
  }

  /** A request for a transaction. */
  ByteBuffer request(Operation operation, int gxid) {
    ByteBuffer bytes = requests.get(operation).clear();
    return bytes.putInt(bytes.limit() - Integer.BYTES, gxid);
  }
}
