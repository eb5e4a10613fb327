package io.mgtm.gtm.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * A connection within this machine, by the path of a socket, with a socket's limit to the time of a
 * read. For one thread.
 */
final class UnixSocket extends Socket {
  private SocketChannel channel;
  private Selector selector;
  private SelectionKey key;
  private int timeoutMs;

  /** One that is not connected yet, of the kind that an address needs. */
  static Socket suiting(SocketAddress address) throws IOException {
    return address instanceof UnixDomainSocketAddress
        ? new UnixSocket()
        : SocketChannel.open().socket();
  }

  /** As an operator writes it. */
  static String text(SocketAddress address) {
    return address instanceof InetSocketAddress inet
        ? inet.getHostString() + ":" + inet.getPort()
        : "unix:" + address;
  }

  @Override
  public void connect(SocketAddress to, int withinMs) throws IOException {
    channel = SocketChannel.open((UnixDomainSocketAddress) to);
    channel.configureBlocking(false);
    selector = Selector.open();
    key = channel.register(selector, 0);
  }

  @Override
  public void setTcpNoDelay(boolean on) {
    // Nothing is ever delayed.
  }

  @Override
  public synchronized void setSoTimeout(int ms) {
    timeoutMs = ms;
  }

  private void await(int operation) throws IOException {
    key.interestOps(operation);
    if (selector.select(timeoutMs) == 0) {
      throw new SocketTimeoutException("nothing came for " + timeoutMs + " ms");
    }
    selector.selectedKeys().clear();
  }

  @Override
  public InputStream getInputStream() {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
      }

      @Override
      public int read(byte[] into, int from, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(into, from, length);
        int count = channel.read(bytes);
        while (count == 0 && length > 0) {
          await(SelectionKey.OP_READ);
          count = channel.read(bytes);
        }
        return count;
      }
    };
  }

  @Override
  public OutputStream getOutputStream() {
    return new OutputStream() {
      @Override
      public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
      }

      @Override
      public void write(byte[] from, int at, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(from, at, length);
        while (bytes.hasRemaining()) {
          if (channel.write(bytes) == 0) {
            await(SelectionKey.OP_WRITE);
          }
        }
      }
    };
  }

  @Override
  public synchronized void close() throws IOException {
    if (channel != null) {
      selector.close();
      channel.close();
    }
  }
}
