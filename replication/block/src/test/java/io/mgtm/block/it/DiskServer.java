package io.mgtm.block.it;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The disk of a test, in memory, served by NBD to one client at a time. It knows what is on stable
 * storage, and what was written since the last flush; it can stop, fail, and lose the latter.
 */
final class DiskServer {
  private static final int SECTOR = 512;
  private static final int EIO = 5;
  private static final int EINVAL = 22;
  private static final int HAS_FLAGS_FLUSH = 1 | 4;

  private enum Power {
    ON,
    /** Requests wait. */
    FROZEN,
    /** Requests fail. */
    OFF,
    /** Writes and flushes fail, reads do not. */
    READ_ONLY
  }

  private record Write(int offset, ByteBuffer data) {
    int sectors() {
      return data.capacity() / SECTOR;
    }
  }

  private final ServerSocketChannel listener;
  private final Thread thread;
  private final byte[] live;
  private final byte[] durable;
  private final List<Write> loose = new ArrayList<>();
  private Power power = Power.ON;
  private int flushes;
  private int failures;

  DiskServer(Path socket, byte[] content) throws IOException {
    live = content.clone();
    durable = content;
    listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(socket));
    thread = new Thread(this::serve, "disk " + socket);
    thread.setDaemon(true);
    thread.start();
  }

  private synchronized void set(Power to) {
    power = to;
    notifyAll();
  }

  void on() {
    set(Power.ON);
  }

  void freeze() {
    set(Power.FROZEN);
  }

  void fail() {
    set(Power.OFF);
  }

  /** From here on nothing can be written, while what is there can be read. */
  void failWrites() {
    set(Power.READ_ONLY);
  }

  /** Requests that failed so far. */
  synchronized int failures() {
    return failures;
  }

  /** What was not flushed is lost but for a part that {@code random} chooses. */
  synchronized String lose(Random random) {
    int kept = 0;
    // Nothing of it, all of it, or any part.
    int way = random.nextInt(4);
    for (Write write : loose) {
      int chance = way == 0 ? 99 : way == 1 ? 0 : random.nextInt(100);
      int sectors = write.sectors();
      if (chance < 45) {
        store(write, 0, sectors);
        kept++;
      } else if (chance < 60) {
        int from = random.nextInt(sectors + 1);
        store(write, from, from + random.nextInt(sectors - from + 1));
        kept++;
      }
    }
    String what = "%d flushes, %d of %d later writes kept".formatted(flushes, kept, loose.size());
    loose.clear();
    flushes = 0;
    System.arraycopy(durable, 0, live, 0, live.length);
    return what;
  }

  private void store(Write write, int from, int to) {
    int at = from * SECTOR;
    write.data.get(at, durable, write.offset + at, (to - from) * SECTOR);
  }

  private void flush() {
    loose.forEach(write -> store(write, 0, write.sectors()));
    loose.clear();
    flushes++;
  }

  private void serve() {
    while (listener.isOpen()) {
      try (SocketChannel client = listener.accept()) {
        DataInputStream in = new DataInputStream(Channels.newInputStream(client));
        DataOutputStream out =
            new DataOutputStream(
                new BufferedOutputStream(Channels.newOutputStream(client), 1 << 18));
        negotiate(in, out);
        while (answer(in, out)) {
          out.flush();
        }
      } catch (EOFException | ClosedChannelException e) {
        // The client has gone, or the test has ended.
      } catch (IOException e) {
        System.out.println("disk server: " + e);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Refuses every option but the export's name, which the client then falls back to. */
  private void negotiate(DataInputStream in, DataOutputStream out) throws IOException {
    out.writeLong(0x4e42444d41474943L);
    out.writeLong(0x49484156454F5054L);
    out.writeShort(3);
    out.flush();
    int clientFlags = in.readInt();
    while (true) {
      in.readLong();
      int option = in.readInt();
      in.readNBytes(in.readInt());
      if (option == 1) {
        out.writeLong(live.length);
        out.writeShort(HAS_FLAGS_FLUSH);
        if ((clientFlags & 2) == 0) {
          out.write(new byte[124]);
        }
        out.flush();
        return;
      }
      out.writeLong(0x3e889045565a9L);
      out.writeInt(option);
      out.writeInt(option == 2 ? 1 : 0x80000001);
      out.writeInt(0);
      out.flush();
    }
  }

  private boolean answer(DataInputStream in, DataOutputStream out)
      throws IOException, InterruptedException {
    in.readInt();
    in.readUnsignedShort();
    int type = in.readUnsignedShort();
    long cookie = in.readLong();
    int offset = (int) in.readLong();
    int length = in.readInt();
    if (type == 2) {
      return false;
    }
    byte[] data = type == 1 ? in.readNBytes(length) : new byte[0];
    int errno = apply(type, offset, data);
    out.writeInt(0x67446698);
    out.writeInt(errno);
    out.writeLong(cookie);
    if (type == 0 && errno == 0) {
      out.write(live, offset, length);
    }
    return true;
  }

  private synchronized int apply(int type, int offset, byte[] data) throws InterruptedException {
    while (power == Power.FROZEN) {
      wait();
    }
    if (power == Power.OFF || (power == Power.READ_ONLY && type != 0)) {
      failures++;
      return EIO;
    }
    switch (type) {
      case 0 -> {}
      case 1 -> {
        System.arraycopy(data, 0, live, offset, data.length);
        loose.add(new Write(offset, ByteBuffer.wrap(data)));
      }
      case 3 -> flush();
      default -> {
        return EINVAL;
      }
    }
    return 0;
  }

  void close() throws Exception {
    listener.close();
    thread.interrupt();
    thread.join();
  }
}
