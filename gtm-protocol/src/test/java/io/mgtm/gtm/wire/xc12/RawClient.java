package io.mgtm.gtm.wire.xc12;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A socket to a GTM, and the few messages that tests exchange over it by hand. */
public final class RawClient implements AutoCloseable {
  private static final int READ_TIMEOUT_MS = 180_000;

  /** A frame of the server: its type, and its body in the byte order of fields from memory. */
  public record Frame(char type, ByteBuffer body) {
    public ResultType result() {
      assertThat(type).as(this::toString).isEqualTo('S');
      return ResultType.ofCode(Integer.reverseBytes(body.getInt(0)));
    }

    /** A little-endian field that many bytes behind the result type. */
    public int int32(int offset) {
      return body.getInt(4 + offset);
    }

    /** A big-endian field that many bytes behind the result type. */
    public int bigInt32(int offset) {
      return Integer.reverseBytes(body.getInt(4 + offset));
    }

    public long int64(int offset) {
      return body.getLong(4 + offset);
    }

    public short int16(int offset) {
      return body.getShort(4 + offset);
    }

    /** The text of an error, as severity, message and hint in lines. */
    public String error() {
      assertThat(type).as(this::toString).isEqualTo('E');
      return errorFrom(0);
    }

    /** The same, of an error for a proxy's backend. */
    public String proxiedError(int backend) {
      assertThat(type).as(this::toString).isEqualTo('E');
      assertThat(body.getShort(0)).isEqualTo((short) backend);
      return errorFrom(Short.BYTES);
    }

    private String errorFrom(int offset) {
      byte[] fields = new byte[body.capacity() - offset];
      body.get(offset, fields);
      return Pattern.compile("\0")
          .splitAsStream(new String(fields, StandardCharsets.UTF_8))
          .filter(field -> !field.isEmpty())
          .map(field -> field.substring(1))
          .collect(Collectors.joining("\n"));
    }

    @Override
    public String toString() {
      return type == 'E' ? "E " + errorFrom(0) : type + " of " + body.capacity() + " bytes";
    }
  }

  private final Socket socket = new Socket();
  private final DataInputStream in;

  public RawClient(InetSocketAddress address) throws IOException {
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(READ_TIMEOUT_MS);
    socket.connect(address, READ_TIMEOUT_MS);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 4 * 1024));
  }

  public Socket socket() {
    return socket;
  }

  public RawClient startup(String name, int nodeType, boolean postmaster) throws IOException {
    send(RequestFrame.startup(name, nodeType, postmaster));
    Frame frame = read();
    assertThat(frame.type()).as(frame.toString()).isEqualTo('R');
    assertThat(frame.body().capacity()).isZero();
    return this;
  }

  public RawClient send(byte[]... frames) throws IOException {
    socket.getOutputStream().write(RequestFrame.concat(frames));
    return this;
  }

  public RawClient send(RequestFrame frame) throws IOException {
    return send(frame.bytes());
  }

  public Frame read() throws IOException {
    char type = (char) in.readUnsignedByte();
    byte[] body = new byte[in.readInt() - Integer.BYTES];
    in.readFully(body);
    return new Frame(type, ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN));
  }

  public Frame call(RequestFrame frame) throws IOException {
    return send(frame).read();
  }

  public Frame call(RequestFrame frame, ResultType expected) throws IOException {
    Frame reply = call(frame);
    assertThat(reply.result()).isEqualTo(expected);
    return reply;
  }

  /** Whether the server closes the connection without another frame. */
  public boolean isClosedByServer() throws IOException {
    try {
      return in.read() < 0;
    } catch (SocketException e) {
      return true; // It was reset, since the server had not read everything.
    }
  }

  /** Reads frames until the server closes; how many there were. */
  public int drain() throws IOException {
    int frames = 0;
    try {
      while (true) {
        read();
        frames++;
      }
    } catch (EOFException | SocketException e) {
      return frames;
    }
  }

  /** What the server says to a startup packet that it does not accept. */
  public String startupError() throws IOException {
    send(RequestFrame.startup("backend", 6, false));
    String error = read().error();
    assertThat(isClosedByServer()).isTrue();
    return error;
  }

  public static RequestFrame beginFrame() {
    return RequestFrame.command(MessageType.TXN_BEGIN_GETGXID).be32(1).u8(0);
  }

  public static RequestFrame commitFrame(int gxid) {
    return RequestFrame.command(MessageType.TXN_COMMIT).gxid(gxid);
  }

  public static RequestFrame snapshotFrame(int gxid) {
    return RequestFrame.command(MessageType.SNAPSHOT_GET).u8(1).gxid(gxid);
  }

  public int begin() throws IOException {
    return call(beginFrame(), ResultType.TXN_BEGIN_GETGXID).int32(0);
  }

  /** Whether the transaction was there. */
  public boolean commit(int gxid) throws IOException {
    Frame reply = call(commitFrame(gxid), ResultType.TXN_COMMIT);
    assertThat(reply.int32(0)).isEqualTo(gxid);
    return reply.bigInt32(4) == 0;
  }

  public void prepare(int gxid, String gid) throws IOException {
    call(
        RequestFrame.command(MessageType.TXN_START_PREPARED).gxid(gxid).string(gid).string("dn1"),
        ResultType.TXN_START_PREPARED);
    call(RequestFrame.command(MessageType.TXN_PREPARE).gxid(gxid), ResultType.TXN_PREPARE);
  }

  /** The gxids that a snapshot lists as running. */
  public int[] running(int gxid) throws IOException {
    Frame reply = call(snapshotFrame(gxid), ResultType.SNAPSHOT_GET);
    int[] running = new int[reply.bigInt32(24)];
    for (int i = 0; i < running.length; i++) {
      running[i] = reply.int32(28 + 4 * i);
    }
    return running;
  }

  /** Every open transaction that the server lists. */
  public int openTransactions() throws IOException {
    return call(RequestFrame.command(MessageType.TXN_GXID_LIST), ResultType.TXN_GXID_LIST)
        .int32(4 + 44);
  }

  public int preparedTransactions() throws IOException {
    return call(
            RequestFrame.command(MessageType.TXN_GET_ALL_PREPARED), ResultType.TXN_GET_ALL_PREPARED)
        .bigInt32(0);
  }

  public void createSequence(
      String key, long increment, long min, long max, long start, boolean cycle)
      throws IOException {
    call(
        RequestFrame.command(MessageType.SEQUENCE_INIT)
            .key(key)
            .le64(increment)
            .le64(min)
            .le64(max)
            .le64(start)
            .u8(cycle ? 1 : 0),
        ResultType.SEQUENCE_INIT);
  }

  public static RequestFrame nextFrame(String key) {
    return RequestFrame.command(MessageType.SEQUENCE_GET_NEXT).key(key);
  }

  public long next(String key) throws IOException {
    Frame reply = call(nextFrame(key), ResultType.SEQUENCE_GET_NEXT);
    return reply.int64(4 + key.length() + 1);
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
