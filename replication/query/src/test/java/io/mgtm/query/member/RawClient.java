package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.FrameSplitter;
import io.mgtm.query.wire.Messages;
import io.mgtm.query.wire.StartupPacket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A client that sends and reads message by message. */
final class RawClient implements AutoCloseable {
  private static final ByteBufAllocator HEAP = UnpooledByteBufAllocator.DEFAULT;
  private static final int READ_MS = 180_000;

  private final Socket socket;
  private final FrameSplitter splitter =
      new FrameSplitter(FrameSplitter.Sender.SERVER_HELD, FrameSplitter.LARGE_BYTES_MAX);
  private final ByteBuf in = Unpooled.buffer();
  int pid;
  int secret;

  RawClient(InetSocketAddress address) throws IOException {
    this(address, null);
  }

  /** From an address of this machine. */
  RawClient(InetSocketAddress address, InetAddress from) throws IOException {
    socket = new Socket(address.getAddress(), address.getPort(), from, 0);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(READ_MS);
  }

  /** The client trusted, in. */
  static RawClient trusted(InetSocketAddress address) throws IOException {
    RawClient client = new RawClient(address);
    client.send(Messages.startup(HEAP, Map.of("user", "trusted", "database", "app")));
    Frame frame = client.read();
    while (frame.type() != 'Z') {
      if (frame.type() == 'K') {
        ByteBuf key = frame.body();
        client.pid = key.readInt();
        client.secret = key.readInt();
      }
      assertThat(frame.type()).isNotEqualTo('E');
      frame = client.read();
    }
    return client;
  }

  void send(ByteBuf bytes) throws IOException {
    try {
      bytes.readBytes(socket.getOutputStream(), bytes.readableBytes());
      socket.getOutputStream().flush();
    } finally {
      bytes.release();
    }
  }

  /** A message whose body is these texts, each with its end, or bytes as they are. */
  static ByteBuf message(char type, Object... parts) {
    ByteBuf body = Unpooled.buffer();
    for (Object part : parts) {
      if (part instanceof String text) {
        body.writeCharSequence(text, StandardCharsets.UTF_8);
        body.writeByte(0);
      } else if (part instanceof Integer number) {
        body.writeInt(number);
      } else if (part instanceof Short number) {
        body.writeShort(number);
      } else {
        body.writeBytes((byte[]) part);
      }
    }
    return Unpooled.buffer()
        .writeByte(type)
        .writeInt(body.readableBytes() + Integer.BYTES)
        .writeBytes(body);
  }

  /** Runs a text; the types of messages that answer it. */
  String query(String sql) throws IOException {
    send(message('Q', sql));
    return readTo('Z');
  }

  /** The next message; fails when the other end has closed. */
  Frame read() throws IOException {
    Frame frame = tryRead();
    assertThat(frame).as("a message, not the end").isNotNull();
    return frame;
  }

  /** The next message, or null when the other end has closed. */
  Frame tryRead() throws IOException {
    while (true) {
      Frame frame = splitter.next(in);
      if (frame != null) {
        return frame;
      }
      in.discardReadBytes();
      byte[] bytes = new byte[8192];
      int count = socket.getInputStream().read(bytes);
      if (count < 0) {
        return null;
      }
      in.writeBytes(bytes, 0, count);
    }
  }

  /** The types of messages up to and with one of this type. */
  String readTo(char last) throws IOException {
    StringBuilder types = new StringBuilder();
    while (types.length() == 0 || types.charAt(types.length() - 1) != last) {
      types.append(read().type());
    }
    return types.toString();
  }

  /** All until the other end closes. */
  List<Frame> readToEnd() throws IOException {
    List<Frame> all = new ArrayList<>();
    for (Frame frame = tryRead(); frame != null; frame = tryRead()) {
      all.add(frame);
    }
    return all;
  }

  void requestCancel(InetSocketAddress address) throws IOException {
    try (RawClient other = new RawClient(address)) {
      other.send(Messages.cancelRequest(HEAP, pid, secret));
      assertThat(other.readToEnd()).isEmpty();
    }
  }

  static ByteBuf start(Map<String, String> parameters) {
    return Messages.startup(HEAP, parameters);
  }

  static ByteBuf version(int code) {
    return Unpooled.buffer().writeInt(8).writeInt(code);
  }

  /** As many bytes as come, up to a number of them. */
  byte[] readBytes(int count) throws IOException {
    return socket.getInputStream().readNBytes(count);
  }

  /** What a request for TLS is answered with. */
  char askForTls() throws IOException {
    send(version(StartupPacket.SSL_CODE));
    return (char) socket.getInputStream().read();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
