package io.mgtm.block.it;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A small blocking NBD client for tests: one request at a time, simple replies. */
final class NbdClient implements AutoCloseable {
  private final SocketChannel channel;
  private final DataInputStream in;
  private final DataOutputStream out;
  private long cookie;
  final long sizeBytes;

  NbdClient(Path socket, String export) throws IOException {
    channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    channel.connect(UnixDomainSocketAddress.of(socket));
    in = new DataInputStream(Channels.newInputStream(channel));
    out =
        new DataOutputStream(
            new java.io.BufferedOutputStream(Channels.newOutputStream(channel), 1 << 17));
    in.readLong();
    in.readLong();
    in.readUnsignedShort();
    byte[] name = export.getBytes(StandardCharsets.UTF_8);
    out.writeInt(3);
    out.writeLong(0x49484156454F5054L);
    out.writeInt(1);
    out.writeInt(name.length);
    out.write(name);
    out.flush();
    sizeBytes = in.readLong();
    in.readUnsignedShort();
  }

  private void request(int type, int flags, long offset, int length) throws IOException {
    out.writeInt(0x25609513);
    out.writeShort(flags);
    out.writeShort(type);
    out.writeLong(++cookie);
    out.writeLong(offset);
    out.writeInt(length);
  }

  private int reply() throws IOException {
    out.flush();
    if (in.readInt() != 0x67446698) {
      throw new IOException("not a reply");
    }
    int error = in.readInt();
    if (in.readLong() != cookie) {
      throw new IOException("a reply to another request");
    }
    return error;
  }

  int write(long offset, byte[] data, boolean fua) throws IOException {
    request(1, fua ? 1 : 0, offset, data.length);
    out.write(data);
    return reply();
  }

  int zero(long offset, int length) throws IOException {
    request(6, 0, offset, length);
    return reply();
  }

  int trim(long offset, int length) throws IOException {
    request(4, 0, offset, length);
    return reply();
  }

  int flush() throws IOException {
    request(3, 0, 0, 0);
    return reply();
  }

  byte[] read(long offset, int length) throws IOException {
    request(0, 0, offset, length);
    int error = reply();
    if (error != 0) {
      throw new IOException("read failed with " + error);
    }
    byte[] data = new byte[length];
    in.readFully(data);
    return data;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
