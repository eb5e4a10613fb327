package io.mgtm.gtm.gateway;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.wire.xc12.FrameLimits;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.gtm.wire.xc12.ResultType;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An original GTM for its proxies: begins transactions, and answers what asks for the sequences or
 * for a snapshot with a frame as long as told.
 */
final class FakeOriginal implements Closeable {
  private static final int HEAD_BYTES = XcFrames.HEAD_BYTES;

  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final AtomicInteger gxids = new AtomicInteger(10_000);

  /** Connections of a proxy's clients, and not that of its registration. */
  final AtomicInteger connections = new AtomicInteger();

  /** The frame's whole length. */
  volatile int longBytes;

  FakeOriginal() throws IOException {
    daemon(this::accept);
  }

  HostPort address() {
    return new HostPort(listener.getInetAddress().getHostAddress(), listener.getLocalPort());
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task, "original");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket proxy = listener.accept();
        daemon(() -> serve(proxy));
      }
    } catch (IOException e) {
      if (!listener.isClosed()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static ByteBuffer read(DataInputStream in) throws IOException {
    in.readByte();
    byte[] body = new byte[in.readInt() - Integer.BYTES];
    in.readFully(body);
    return ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN);
  }

  private void serve(Socket proxy) {
    try (proxy) {
      DataInputStream in = new DataInputStream(new BufferedInputStream(proxy.getInputStream()));
      OutputStream out = new BufferedOutputStream(proxy.getOutputStream());
      boolean proxied = read(in).getInt(FrameLimits.STARTUP_NAME_BYTES) == NodeType.PROXY.code();
      if (proxied) {
        connections.incrementAndGet();
      }
      out.write(RequestFrame.of('R').bytes());
      out.flush();
      while (true) {
        ByteBuffer body = read(in);
        if (proxied && body.remaining() > Integer.BYTES) {
          answer(body.getShort(0), body.order(ByteOrder.BIG_ENDIAN).getInt(Short.BYTES), out);
        }
        out.flush();
      }
    } catch (IOException e) {
      return; // It has closed.
    }
  }

  private void answer(short number, int message, OutputStream out) throws IOException {
    if (message == MessageType.SEQUENCE_LIST.code()) {
      sendLong(number, ResultType.SEQUENCE_LIST, out);
    } else if (message == MessageType.SNAPSHOT_GET.code()) {
      sendLong(number, ResultType.SNAPSHOT_GET, out);
    } else if (message == MessageType.TXN_BEGIN_GETGXID_MULTI.code()) {
      RequestFrame began = success(number, ResultType.TXN_BEGIN_GETGXID_MULTI).le32(1);
      out.write(began.le32(gxids.getAndIncrement()).le64(0).bytes());
    }
  }

  private static RequestFrame success(short number, ResultType type) {
    return RequestFrame.of('S').be32(type.code()).le16(number);
  }

  private void sendLong(short number, ResultType type, OutputStream out) throws IOException {
    int bytes = longBytes;
    out.write(success(number, type).bytes(bytes - 1));
    byte[] piece = new byte[64 * 1024];
    for (int left = bytes - HEAD_BYTES; left > 0; left -= piece.length) {
      out.write(piece, 0, Math.min(left, piece.length));
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
