package io.mgtm.gtm.command;

import java.nio.ByteBuffer;

/**
 * Commands as bytes: {@code code:u8} and the fields in the order of the record, big-endian, as
 * {@link CommandType} has them. So they stand in the log, which holds no queries, and so gateways
 * send them. Codes and field orders never change; a new need gets a new code.
 */
public final class CommandCodec {
  private CommandCodec() {}

  /**
   * Appends one command to {@code out}.
   *
   * @throws java.nio.BufferOverflowException when it does not fit
   */
  public static void encode(Command command, ByteBuffer out) {
    out.put(command.type().code());
    command.write(out);
  }

  /**
   * Appends one command for a log to {@code out}.
   *
   * @throws java.nio.BufferOverflowException when it does not fit
   * @throws IllegalArgumentException when it is a query, which no log holds
   */
  public static void encodeLogged(Command command, ByteBuffer out) {
    if (command.type().query()) {
      throw new IllegalArgumentException(command.type() + " is a query: it is not logged");
    }
    encode(command, out);
  }

  /**
   * Reads one command.
   *
   * @throws UnknownCommandException when its code or a field's value is of a newer version
   * @throws java.nio.BufferUnderflowException when the bytes end within it
   */
  public static Command decode(ByteBuffer in) {
    return type(in).read(in);
  }

  /**
   * Reads one command of a log.
   *
   * @throws UnknownCommandException as {@link #decode}, and when it is a query
   * @throws java.nio.BufferUnderflowException when the bytes end within it
   */
  public static Command decodeLogged(ByteBuffer in) {
    CommandType type = type(in);
    if (type.query()) {
      throw new UnknownCommandException(type + " is a query: no log holds it");
    }
    return type.read(in);
  }

  private static CommandType type(ByteBuffer in) {
    byte code = in.get();
    return FieldReader.known(CommandType.ofCode(code), "command code " + code);
  }
}
