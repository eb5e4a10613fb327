package io.mgtm.query.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the data of COPY wait until the other servers have them: files that together take no more
 * than a limit. One thread reads and writes them, so that a slow disk stops no event loop. Any
 * thread.
 */
public final class Spools implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Spools.class);
  private static final int CLOSE_MS = 2_000;

  private final Path folder;
  private final long bytesMax;
  private final AtomicLong bytes = new AtomicLong();
  private final ExecutorService disk =
      Executors.newSingleThreadExecutor(new DefaultThreadFactory("mgtm-query-spool", true));

  /**
   * Takes a folder over, and removes what a replicator that was killed has left in it.
   *
   * @throws IOException when it cannot be made or emptied
   */
  public Spools(Path folder, long bytesMax) throws IOException {
    this.folder = folder;
    this.bytesMax = bytesMax;
    Files.createDirectories(folder);
    try (DirectoryStream<Path> left = Files.newDirectoryStream(folder)) {
      for (Path file : left) {
        Files.delete(file);
      }
    }
  }

  /** What all hold. */
  public long bytes() {
    return bytes.get();
  }

  Spool open(EventLoop loop) {
    return new Spool(loop);
  }

  @Override
  public void close() {
    disk.shutdown();
    try {
      if (!disk.awaitTermination(CLOSE_MS, TimeUnit.MILLISECONDS)) {
        log.warn("The disk of {} takes long to close files", folder);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes what was read, or says why nothing was. */
  interface Reader {
    /**
     * On the loop.
     *
     * @param chunk owned by the reader, or null when it cannot be read
     */
    void read(ByteBuf chunk, IOException why);
  }

  /** The data of one COPY. Belongs to a loop. */
  final class Spool implements AutoCloseable {
    private final EventLoop loop;

    /** Of the disk's thread. */
    private FileChannel file;

    private IOException failed;
    private long size;
    private long unwritten;
    private boolean closed;

    Spool(EventLoop loop) {
      this.loop = loop;
    }

    long size() {
      return size;
    }

    /** What is on its way to the disk. */
    long unwritten() {
      return unwritten;
    }

    /**
     * Adds data.
     *
     * @param data taken over
     * @param written called when they are on disk
     * @return why they are not taken, or null
     */
    IOException append(ByteBuf data, Runnable written) {
      int count = data.readableBytes();
      if (failed == null && bytes.addAndGet(count) > bytesMax) {
        bytes.addAndGet(-count);
        failed = new IOException("%,d bytes wait there, which is the limit".formatted(bytesMax));
      }
      if (failed != null) {
        data.release();
        return failed;
      }
      size += count;
      unwritten += count;
      disk.execute(
          () -> {
            IOException why = write(data);
            loop.execute(
                () -> {
                  unwritten -= count;
                  failed = failed == null ? why : failed;
                  written.run();
                });
          });
      return null;
    }

    private IOException write(ByteBuf data) {
      try {
        if (file == null) {
          // Its name goes at once, so that nothing is left whatever becomes of the process.
          file =
              FileChannel.open(
                  Files.createTempFile(folder, "copy", ".data"),
                  StandardOpenOption.READ,
                  StandardOpenOption.WRITE,
                  StandardOpenOption.DELETE_ON_CLOSE);
        }
        while (data.isReadable()) {
          data.readBytes(file, data.readableBytes());
        }
        return null;
      } catch (IOException e) {
        return e;
      } finally {
        data.release();
      }
    }

    /**
     * Reads from what was added before.
     *
     * @param into taken over, and given to the reader
     */
    void read(long from, int count, ByteBuf into, Reader reader) {
      disk.execute(
          () -> {
            IOException why = null;
            try {
              int got = 0;
              while (got < count) {
                int more = into.writeBytes(file, from + got, count - got);
                if (more < 0) {
                  throw new IOException("the file ends at " + (from + got));
                }
                got += more;
              }
            } catch (IOException e) {
              why = e;
              into.release();
            }
            IOException failure = why;
            loop.execute(
                () -> {
                  failed = failed == null ? failure : failed;
                  reader.read(failure == null ? into : null, failure);
                });
          });
    }

    /** Why not all that was added is on disk, or null. */
    IOException failed() {
      return failed;
    }

    @Override
    public void close() {
      if (closed) {
        return;
      }
      closed = true;
      bytes.addAndGet(-size);
      disk.execute(
          () -> {
            try {
              if (file != null) {
                file.close();
              }
            } catch (IOException e) {
              log.warn("Cannot close a file in {}: {}", folder, e.toString());
            }
          });
    }
  }
}
