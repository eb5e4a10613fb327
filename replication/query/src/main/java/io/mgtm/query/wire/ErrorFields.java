package io.mgtm.query.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * An ErrorResponse or NoticeResponse, as far as the replicator makes and reads them.
 *
 * @param severity ERROR, FATAL, NOTICE…
 * @param sqlState five characters
 * @param hint what to do, or empty
 * @param others of a server's: the detail, names of table and constraint, and so on, in the order
 *     of their codes
 */
public record ErrorFields(
    String severity, String sqlState, String message, String hint, Map<Byte, String> others) {
  public ErrorFields {
    others = Collections.unmodifiableMap(new TreeMap<>(others));
  }

  /** One of the replicator's own. */
  public ErrorFields(String severity, String sqlState, String message, String hint) {
    this(severity, sqlState, message, hint, Map.of());
  }

  /** One that ends the session. */
  public static ErrorFields fatal(String sqlState, String message) {
    return new ErrorFields("FATAL", sqlState, message, "");
  }

  /** One that ends the statement, and the transaction that it is in. */
  public static ErrorFields error(String sqlState, String message) {
    return new ErrorFields("ERROR", sqlState, message, "");
  }

  /** One that ends nothing. */
  public static ErrorFields warning(String sqlState, String message) {
    return new ErrorFields("WARNING", sqlState, message, "");
  }

  /** The same with a hint. */
  public ErrorFields withHint(String text) {
    return new ErrorFields(severity, sqlState, message, text, others);
  }

  /** The same without where it happened, as that is the replicator's. */
  public ErrorFields withoutContext() {
    Map<Byte, String> rest = new HashMap<>(others);
    rest.remove((byte) 'W');
    return new ErrorFields(severity, sqlState, message, hint, rest);
  }

  /**
   * Reads the body of one.
   *
   * @throws WireException when it is none
   */
  public static ErrorFields read(ByteBuf body) {
    String severity = "";
    String sqlState = "";
    String message = "";
    String hint = "";
    Map<Byte, String> others = new HashMap<>();
    while (body.isReadable()) {
      byte code = body.readByte();
      if (code == 0) {
        break;
      }
      String value = StartupPacket.text(body);
      switch (code) {
        case 'V' -> severity = value;
        case 'S' -> severity = severity.isEmpty() ? value : severity;
        case 'C' -> sqlState = value;
        case 'M' -> message = value;
        case 'H' -> hint = value;
        default -> others.put(code, value);
      }
    }
    return new ErrorFields(severity, sqlState, message, hint, others);
  }

  void writeTo(ByteBuf body) {
    field(body, 'S', severity);
    field(body, 'V', severity);
    field(body, 'C', sqlState);
    field(body, 'M', message);
    if (!hint.isEmpty()) {
      field(body, 'H', hint);
    }
    others.forEach((code, value) -> field(body, (char) (byte) code, value));
    body.writeByte(0);
  }

  private static void field(ByteBuf body, char code, String value) {
    body.writeByte(code);
    body.writeCharSequence(value.replace('\0', ' '), StandardCharsets.UTF_8);
    body.writeByte(0);
  }
}
