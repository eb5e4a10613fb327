package io.mgtm.query.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The messages that the replicator makes itself, named as in PostgreSQL's table of message formats.
 * Each is a new buffer that the caller owns.
 */
public final class Messages {
  /** What an Authentication message says. */
  public static final int AUTHENTICATION_OK = 0;

  public static final int AUTHENTICATION_SASL = 10;
  public static final int AUTHENTICATION_SASL_CONTINUE = 11;
  public static final int AUTHENTICATION_SASL_FINAL = 12;

  private static final int INITIAL_BYTES = 256;

  private Messages() {}

  private static ByteBuf of(ByteBufAllocator allocator, char type, Consumer<ByteBuf> body) {
    ByteBuf out = allocator.buffer(INITIAL_BYTES);
    out.writeByte(type);
    return counted(out, body);
  }

  private static ByteBuf counted(ByteBuf out, Consumer<ByteBuf> body) {
    int at = out.writerIndex();
    out.writeInt(0);
    body.accept(out);
    out.setInt(at, out.writerIndex() - at);
    return out;
  }

  private static void text(ByteBuf out, String text) {
    out.writeCharSequence(text, StandardCharsets.UTF_8);
    out.writeByte(0);
  }

  // ---- to servers ------------------------------------------------------------------------------

  public static ByteBuf sslRequest(ByteBufAllocator allocator) {
    return counted(allocator.buffer(INITIAL_BYTES), out -> out.writeInt(StartupPacket.SSL_CODE));
  }

  public static ByteBuf cancelRequest(ByteBufAllocator allocator, int pid, int secret) {
    return counted(
        allocator.buffer(INITIAL_BYTES),
        out -> out.writeInt(StartupPacket.CANCEL_CODE).writeInt(pid).writeInt(secret));
  }

  /** Tells another replicator of the group whose connection this is. */
  public static ByteBuf forward(ByteBufAllocator allocator, StartupPacket.Forward claim) {
    return counted(
        allocator.buffer(INITIAL_BYTES),
        out -> {
          out.writeInt(StartupPacket.FORWARD_CODE);
          text(out, claim.member());
          if (claim.client() != null) {
            out.writeBytes(claim.client().getAddress());
          }
        });
  }

  public static ByteBuf proof(ByteBufAllocator allocator, String proof) {
    return counted(
        allocator.buffer(INITIAL_BYTES),
        out -> {
          out.writeInt(StartupPacket.PROOF_CODE);
          text(out, proof);
        });
  }

  public static ByteBuf startup(ByteBufAllocator allocator, Map<String, String> parameters) {
    return counted(
        allocator.buffer(INITIAL_BYTES),
        out -> {
          out.writeInt(StartupPacket.VERSION_3);
          parameters.forEach(
              (name, value) -> {
                text(out, name);
                text(out, value);
              });
          out.writeByte(0);
        });
  }

  public static ByteBuf saslInitialResponse(
      ByteBufAllocator allocator, String mechanism, String response) {
    byte[] bytes = response.getBytes(StandardCharsets.UTF_8);
    return of(
        allocator,
        'p',
        out -> {
          text(out, mechanism);
          out.writeInt(bytes.length).writeBytes(bytes);
        });
  }

  public static ByteBuf saslResponse(ByteBufAllocator allocator, String response) {
    return of(allocator, 'p', out -> out.writeCharSequence(response, StandardCharsets.UTF_8));
  }

  /** Parse, Bind, Execute and Sync of the unnamed statement, with texts for its parameters. */
  public static ByteBuf extendedQuery(
      ByteBufAllocator allocator, String sql, List<String> parameters) {
    ByteBuf out =
        of(
            allocator,
            'P',
            body -> {
              text(body, "");
              text(body, sql);
              body.writeShort(0);
            });
    out.writeByte('B');
    counted(
        out,
        body -> {
          text(body, "");
          text(body, "");
          body.writeShort(0).writeShort(parameters.size());
          for (String parameter : parameters) {
            byte[] bytes = parameter.getBytes(StandardCharsets.UTF_8);
            body.writeInt(bytes.length).writeBytes(bytes);
          }
          body.writeShort(0);
        });
    out.writeByte('E');
    counted(
        out,
        body -> {
          text(body, "");
          body.writeInt(0);
        });
    out.writeByte('S');
    return counted(out, body -> {});
  }

  public static ByteBuf query(ByteBufAllocator allocator, ByteBuf sql) {
    return of(allocator, 'Q', out -> out.writeBytes(sql).writeByte(0));
  }

  public static ByteBuf query(ByteBufAllocator allocator, String sql) {
    return of(allocator, 'Q', out -> text(out, sql));
  }

  /** Parse, with the types of its parameters as they stand in the client's. */
  public static ByteBuf parse(ByteBufAllocator allocator, String name, ByteBuf sql, ByteBuf types) {
    return of(
        allocator,
        'P',
        out -> {
          text(out, name);
          out.writeBytes(sql).writeByte(0).writeBytes(types);
        });
  }

  /** Bind; what follows the names is given as it stands in the message. */
  public static ByteBuf bind(
      ByteBufAllocator allocator, String portal, String statement, ByteBuf rest) {
    return of(
        allocator,
        'B',
        out -> {
          text(out, portal);
          text(out, statement);
          out.writeBytes(rest);
        });
  }

  /** Execute, for all rows. */
  public static ByteBuf execute(ByteBufAllocator allocator, String portal) {
    return of(
        allocator,
        'E',
        out -> {
          text(out, portal);
          out.writeInt(0);
        });
  }

  /** Describe of a portal. */
  public static ByteBuf describePortal(ByteBufAllocator allocator, String name) {
    return of(allocator, 'D', out -> named(out, 'P', name));
  }

  /** Describe of a statement. */
  public static ByteBuf describeStatement(ByteBufAllocator allocator, String name) {
    return of(allocator, 'D', out -> named(out, 'S', name));
  }

  /** Close of a statement. */
  public static ByteBuf closeStatement(ByteBufAllocator allocator, String name) {
    return of(allocator, 'C', out -> named(out, 'S', name));
  }

  /** Close of a portal. */
  public static ByteBuf closePortal(ByteBufAllocator allocator, String name) {
    return of(allocator, 'C', out -> named(out, 'P', name));
  }

  private static void named(ByteBuf out, char kind, String name) {
    out.writeByte(kind);
    text(out, name);
  }

  public static ByteBuf copyFail(ByteBufAllocator allocator, String why) {
    return of(allocator, 'f', out -> text(out, why));
  }

  public static ByteBuf terminate(ByteBufAllocator allocator) {
    return of(allocator, 'X', out -> {});
  }

  // ---- to clients ------------------------------------------------------------------------------

  public static ByteBuf authenticationOk(ByteBufAllocator allocator) {
    return of(allocator, 'R', out -> out.writeInt(AUTHENTICATION_OK));
  }

  public static ByteBuf authenticationSasl(ByteBufAllocator allocator, List<String> mechanisms) {
    return of(
        allocator,
        'R',
        out -> {
          out.writeInt(AUTHENTICATION_SASL);
          mechanisms.forEach(mechanism -> text(out, mechanism));
          out.writeByte(0);
        });
  }

  /** AuthenticationSASLContinue or AuthenticationSASLFinal. */
  public static ByteBuf authenticationSaslData(ByteBufAllocator allocator, int which, String data) {
    return of(
        allocator, 'R', out -> out.writeInt(which).writeCharSequence(data, StandardCharsets.UTF_8));
  }

  public static ByteBuf negotiateProtocolVersion(
      ByteBufAllocator allocator, List<String> extensions) {
    return of(
        allocator,
        'v',
        out -> {
          out.writeInt(StartupPacket.VERSION_3).writeInt(extensions.size());
          extensions.forEach(name -> text(out, name));
        });
  }

  public static ByteBuf backendKeyData(ByteBufAllocator allocator, int pid, int secret) {
    return of(allocator, 'K', out -> out.writeInt(pid).writeInt(secret));
  }

  public static ByteBuf error(ByteBufAllocator allocator, ErrorFields fields) {
    return of(allocator, 'E', fields::writeTo);
  }

  public static ByteBuf notice(ByteBufAllocator allocator, ErrorFields fields) {
    return of(allocator, 'N', fields::writeTo);
  }

  /** A message without a body: Sync, ParseComplete, NoData… */
  public static ByteBuf empty(ByteBufAllocator allocator, char type) {
    return of(allocator, type, out -> {});
  }

  /** ReadyForQuery: I idle, T in a transaction, E in a failed one. */
  public static ByteBuf readyForQuery(ByteBufAllocator allocator, char status) {
    return of(allocator, 'Z', out -> out.writeByte(status));
  }

  /** ParameterDescription of a statement that has none. */
  public static ByteBuf noParameters(ByteBufAllocator allocator) {
    return of(allocator, 't', out -> out.writeShort(0));
  }

  public static ByteBuf commandComplete(ByteBufAllocator allocator, String tag) {
    return of(allocator, 'C', out -> text(out, tag));
  }
}
