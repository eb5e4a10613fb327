package io.mgtm.flash;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A FileChannel that survives interrupts. The JDK closes a channel, for all its users, when one
 * thread is interrupted in the midst of an operation; here the file is opened again, the operation
 * is done again, and the thread is interrupted again afterwards.
 *
 * <p>Any thread. Reads and writes name their place, so doing one twice does no harm.
 */
final class ReopeningChannel {

  /** An operation on the channel that may be done twice. */
  @FunctionalInterface
  interface Use<T> {
    T on(FileChannel channel) throws IOException;
  }

  private final Path path;
  private final Set<OpenOption> options;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile FileChannel channel;
  private boolean closed;

  /**
   * Wraps an open channel.
   *
   * @param options how to open it again, without those that create
   */
  ReopeningChannel(Path path, Set<OpenOption> options, FileChannel channel) {
    this.path = path;
    this.options = options;
    this.channel = channel;
  }

  <T> T use(Use<T> use) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        FileChannel now = channel;
        try {
          return use.on(now);
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
          reopen(now);
        } catch (ClosedChannelException e) {
          reopen(now);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void reopen(FileChannel broken) throws IOException {
    lock.lock();
    try {
      if (closed) {
        throw new IOException(path + " is closed");
      }
      if (channel == broken) {
        channel = FileChannel.open(path, options);
      }
    } finally {
      lock.unlock();
    }
  }

  void close() throws IOException {
    lock.lock();
    try {
      closed = true;
      channel.close();
    } finally {
      lock.unlock();
    }
  }
}
