package io.mgtm.group.member;

import io.mgtm.group.net.Transport;
import io.mgtm.group.storage.DataDirectory;
import io.mgtm.group.storage.StorageFiles;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * What a member's log stands on; a simulation puts other parts in.
 *
 * @param member whose folder it is
 * @param hold on the folder, given up when the log is closed
 * @param boot tells this boot of the machine from others, empty when that cannot be told
 * @param nanoClock monotonic, as {@link System#nanoTime}
 * @param wallMs the wall clock, which may be set, as {@link System#currentTimeMillis}
 * @param seed of what members do at different times
 */
public record MemberParts(
    StorageFiles files,
    UUID member,
    Hold hold,
    MemberThreads threads,
    String boot,
    LongSupplier nanoClock,
    LongSupplier wallMs,
    long seed) {

  /** The exclusive use of a folder. */
  public interface Hold extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Those of a member of this machine.
   *
   * @throws io.mgtm.group.LogException as {@link DataDirectory#open} throws
   */
  public static MemberParts open(Path path, String name, ScheduledExecutorService owner) {
    DataDirectory folder = DataDirectory.open(path);
    return new MemberParts(
        folder.files(),
        folder.member(),
        folder::close,
        MemberThreads.start(name, owner),
        BootId.current(),
        System::nanoTime,
        System::currentTimeMillis,
        new SecureRandom().nextLong());
  }

  /** The monotonic clock in milliseconds. */
  public long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong());
  }

  /** A log on them could not be opened. */
  void giveUp(Transport transport, Throwable why) {
    Hold held = hold;
    try (held;
        transport) {
      threads.stop();
    } catch (RuntimeException e) {
      why.addSuppressed(e);
    }
  }
}
