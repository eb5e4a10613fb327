package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.wire.WireException;

/**
 * The body of a message: how a server reads a command from it, and how a client writes it.
 *
 * @param <C> the command that it carries
 */
record RequestBody<C extends Command>(Reader<C> reader, Writer<C> writer) {

  /** Reads the fields of a frame, but not that it ends behind them. */
  interface Reader<C> {
    /**
     * Reads a command.
     *
     * @param session that it is for
     * @param backend that sent it
     * @throws WireException when a field is not as the protocol has it
     */
    C read(FrameReader in, long session, short backend) throws WireException;
  }

  /** Writes the fields of a frame. */
  interface Writer<C> {
    void write(FrameWriter out, C command);
  }

  /** The body of a message that asks without a field. */
  static <C extends Command> RequestBody<C> empty(C command) {
    return new RequestBody<>((in, session, backend) -> command, (out, c) -> {});
  }
}
