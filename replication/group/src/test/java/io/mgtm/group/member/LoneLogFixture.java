package io.mgtm.group.member;

import io.mgtm.group.Durability;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.LogException;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.group.storage.SimulatedDisk;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** A log on a simulated disk whose threads stand still until the test moves them. */
final class LoneLogFixture implements ReplicatedLog.Listener {
  static final int SEGMENT_BYTES = 2048;
  static final UUID MEMBER = new UUID(11, 12);

  final SimulatedDisk disk = new SimulatedDisk(new Random(1));
  final List<Long> committed = new ArrayList<>();
  final List<LogException> failures = new ArrayList<>();
  GroupSettings settings =
      GroupSettings.alone(
          DurabilityMode.CRITICAL, new LogSettings(SEGMENT_BYTES, 1, 4, 0, 100), 8_000);
  ManualThreads threads = new ManualThreads();
  ChainMachine machine = new ChainMachine();
  LoneLog log;
  long nanos;

  /** The last index when it was opened: nothing of this start was appended yet. */
  long begin;

  private int boots;
  int foldersClosed;

  void open() {
    threads = new ManualThreads();
    machine = new ChainMachine();
    threads.runFilesAtOnce(true);
    log = LoneLog.open(parts(threads), settings, machine, threads.owner(), this);
    threads.runFilesAtOnce(false);
    begin = log.lastIndex();
  }

  MemberParts parts(ManualThreads on) {
    return new MemberParts(
        disk,
        MEMBER,
        () -> foldersClosed++,
        on,
        "boot " + boots,
        () -> nanos,
        () -> TimeUnit.NANOSECONDS.toMillis(nanos),
        1);
  }

  /** Whether the process before has closed its log. */
  boolean wasClean() {
    return log.store.recovery().clean();
  }

  void reopenAfterPowerLoss() {
    disk.losePower();
    boots++;
    open();
  }

  void passMs(long ms) {
    nanos += TimeUnit.MILLISECONDS.toNanos(ms);
  }

  long append(Durability durability) {
    return append(50, durability);
  }

  long append(int bytes, Durability durability) {
    byte[] payload = new byte[bytes];
    payload[0] = (byte) machine.count();
    machine.applyOwn(ByteBuffer.wrap(payload));
    return log.append(ByteBuffer.wrap(payload), durability);
  }

  /** Appends with the threads running in between, as long as there is room. */
  int fill(int entries) {
    int appended = 0;
    while (appended < entries && log.hasRoom(50)) {
      append(Durability.BUFFERED);
      threads.runAll();
      appended++;
    }
    return appended;
  }

  @Override
  public void committed(long index) {
    committed.add(index);
  }

  @Override
  public void failed(LogException cause) {
    failures.add(cause);
  }
}
