package io.mgtm.query.wire;

import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a client sends before anything else; it has no type byte. */
public sealed interface StartupPacket {
  /** PostgreSQL's MAX_STARTUP_PACKET_LENGTH. */
  int BYTES_MAX = 10_000;

  /** Major version 3, minor 0. */
  int VERSION_3 = 3 << 16;

  /** The numbers that stand in place of a version. */
  int CANCEL_CODE = 1234 << 16 | 5678;

  int SSL_CODE = 1234 << 16 | 5679;
  int GSS_CODE = 1234 << 16 | 5680;

  /** The same, of the replicator's own: far from those that PostgreSQL may come to use. */
  int FORWARD_CODE = 1234 << 16 | 28_007;

  int PROOF_CODE = 1234 << 16 | 28_008;

  /** Asks for TLS. */
  record Ssl() implements StartupPacket {}

  /** Asks for encryption by GSSAPI. */
  record Gss() implements StartupPacket {}

  /** Asks to cancel what the session with this key runs. */
  record Cancel(int pid, int secret) implements StartupPacket {}

  /**
   * Says, before anything that the client sends, that a member of the group forwards a client's
   * connection. It is answered with a challenge, which asks for a {@link Proof}.
   *
   * <pre>
   * | length:i32 | FORWARD_CODE:i32 | member, ends with 0 | the client's address: 4, 16 or 0 bytes |
   * </pre>
   *
   * @param member the name of who forwards
   * @param client whom access rules see; null when the member stops, and asks that the sessions of
   *     those that it has forwarded end as soon as nothing runs in them
   */
  record Forward(String member, InetAddress client) implements StartupPacket {}

  /**
   * Proves what a {@link Forward} says; answered with {@link #TAKEN}, after which the connection is
   * the client's, or by closing it.
   */
  record Proof(String proof) implements StartupPacket {}

  /** What a proof that is right is answered with. */
  byte TAKEN = 'F';

  /**
   * Begins a session.
   *
   * @param minor of protocol version 3
   * @param parameters without those that begin with _pq_., in the client's order
   * @param extensions the names of those that do
   */
  record Start(int minor, Map<String, String> parameters, List<String> extensions)
      implements StartupPacket {
    public Start {
      parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
      extensions = List.copyOf(extensions);
    }
  }

  /**
   * Reads the next packet, or returns null when it is not yet whole.
   *
   * @throws WireException when it is none
   */
  static StartupPacket read(ByteBuf in) {
    if (in.readableBytes() < 4) {
      return null;
    }
    int length = in.getInt(in.readerIndex());
    if (length < 8 || length > BYTES_MAX) {
      throw bad("invalid length of startup packet");
    }
    if (in.readableBytes() < length) {
      return null;
    }
    ByteBuf packet = in.readSlice(length).skipBytes(4);
    int code = packet.readInt();
    return switch (code) {
      case SSL_CODE -> new Ssl();
      case GSS_CODE -> new Gss();
      case CANCEL_CODE -> cancel(packet);
      case FORWARD_CODE -> forward(packet);
      case PROOF_CODE -> new Proof(text(packet));
      default -> start(code, packet);
    };
  }

  private static Cancel cancel(ByteBuf packet) {
    if (packet.readableBytes() != 2 * Integer.BYTES) {
      throw bad("invalid length of cancel request");
    }
    return new Cancel(packet.readInt(), packet.readInt());
  }

  private static Forward forward(ByteBuf packet) {
    String member = text(packet);
    byte[] address = new byte[packet.readableBytes()];
    packet.readBytes(address);
    try {
      return new Forward(member, address.length == 0 ? null : InetAddress.getByAddress(address));
    } catch (UnknownHostException e) {
      throw bad("invalid length of an address");
    }
  }

  private static Start start(int version, ByteBuf packet) {
    if (version >>> 16 != 3) {
      throw new WireException(
          "0A000",
          "unsupported frontend protocol %d.%d: server supports 3.0"
              .formatted(version >>> 16, version & 0xffff));
    }
    Map<String, String> parameters = new LinkedHashMap<>();
    List<String> extensions = new ArrayList<>();
    for (String name = text(packet); !name.isEmpty(); name = text(packet)) {
      String value = text(packet);
      if (name.startsWith("_pq_.")) {
        extensions.add(name);
      } else {
        parameters.put(name, value);
      }
    }
    if (packet.isReadable()) {
      throw bad("invalid startup packet layout: expected terminator as last byte");
    }
    return new Start(version & 0xffff, parameters, extensions);
  }

  /** A text that ends with a zero. */
  static String text(ByteBuf from) {
    int bytes = from.bytesBefore((byte) 0);
    if (bytes < 0) {
      throw bad("a text without its end");
    }
    String text = from.toString(from.readerIndex(), bytes, StandardCharsets.UTF_8);
    from.skipBytes(bytes + 1);
    return text;
  }

  private static WireException bad(String message) {
    return new WireException(WireException.PROTOCOL_VIOLATION, message);
  }
}
