package io.mgtm.group.net;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import java.util.Arrays;
import org.jgroups.blocks.cs.Connection;

/**
 * A connection to a member's port in the clear, once it has said what JGroups says first:
 *
 * <pre>
 * | "bela" | version:u16 | bytes:u16 | address |
 * </pre>
 *
 * JGroups' one acceptor thread would wait for that from each who connects, and writes what it did
 * not understand to the log.
 */
final class PeerSocket extends Socket {
  private static final int ADDRESS_BYTES_MAX = 64;

  private InputStream in;

  PeerSocket() throws SocketException {
    super((SocketImpl) null);
  }

  /**
   * Waits for the beginning, which JGroups then reads.
   *
   * @throws IOException when it is none
   */
  Socket awaitBeginning(int withinMs) throws IOException {
    setSoTimeout(withinMs);
    InputStream rest = super.getInputStream();
    DataInputStream read = new DataInputStream(rest);
    byte[] cookie = new byte[Connection.cookie.length];
    read.readFully(cookie);
    if (!Arrays.equals(cookie, Connection.cookie)) {
      throw new IOException("it does not speak as a member");
    }
    ByteArrayOutputStream kept = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(kept);
    out.write(cookie);
    out.writeShort(read.readUnsignedShort());
    int bytes = read.readUnsignedShort();
    if (bytes > ADDRESS_BYTES_MAX) {
      throw new IOException("its address takes " + bytes + " bytes");
    }
    out.writeShort(bytes);
    out.write(readFully(read, bytes));
    in = new SequenceInputStream(new ByteArrayInputStream(kept.toByteArray()), rest);
    setSoTimeout(0);
    return this;
  }

  private static byte[] readFully(DataInputStream in, int bytes) throws IOException {
    byte[] read = new byte[bytes];
    in.readFully(read);
    return read;
  }

  @Override
  public InputStream getInputStream() throws IOException {
    return in == null ? super.getInputStream() : in;
  }
}
