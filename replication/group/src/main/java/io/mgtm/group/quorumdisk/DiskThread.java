package io.mgtm.group.quorumdisk;

import io.mgtm.group.storage.WorkerThreads;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that waits for a quorum disk. It opens it anew after whatever has failed. */
final class DiskThread implements DiskIo {
  private static final Logger log = LoggerFactory.getLogger(DiskThread.class);

  private final Path path;
  private final Executor owner;
  private final ExecutorService thread = WorkerThreads.single("quorum-disk");
  private QuorumDisk disk;
  private volatile boolean closed;

  private interface Work<T> {
    T on(QuorumDisk disk) throws DiskException;
  }

  DiskThread(Path path, Executor owner) {
    this.path = path;
    this.owner = owner;
  }

  @Override
  public void read(BiConsumer<DiskImage, String> then) {
    begin(QuorumDisk::read, then);
  }

  @Override
  public void write(int slot, long number, byte[] content, Consumer<String> then) {
    begin(
        open -> {
          open.write(slot, number, content);
          return null;
        },
        (nothing, failure) -> then.accept(failure));
  }

  private <T> void begin(Work<T> work, BiConsumer<T, String> then) {
    thread.execute(
        () -> {
          T found = null;
          String failure = null;
          try {
            disk = disk == null ? QuorumDisk.open(path) : disk;
            found = work.on(disk);
          } catch (DiskException e) {
            failure = e.getMessage();
            giveUp();
          }
          T result = found;
          String why = failure;
          if (!closed) {
            owner.execute(
                () -> {
                  if (!closed) {
                    then.accept(result, why);
                  }
                });
          }
        });
  }

  private void giveUp() {
    QuorumDisk former = disk;
    disk = null;
    try {
      if (former != null) {
        former.close();
      }
    } catch (DiskException e) {
      log.debug("It is opened anew all the same: {}", e.getMessage());
    }
  }

  /** Does not wait for what hangs. */
  @Override
  public void close() {
    closed = true;
    thread.execute(this::giveUp);
    thread.shutdown();
  }
}
