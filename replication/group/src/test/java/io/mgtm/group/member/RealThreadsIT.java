package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.storage.Seeds;
import io.mgtm.testing.Await;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log with its own threads and a real disk, as fast as it goes. */
class RealThreadsIT implements ReplicatedLog.Listener {
  private static final List<Durability> DURABILITIES = List.of(Durability.values());
  private static final int ENTRIES = 40_000;

  @TempDir Path folder;

  private final ScheduledExecutorService owner = Executors.newSingleThreadScheduledExecutor();
  private final Random random = new Random(Seeds.one());
  private ChainMachine machine;
  private LoneLog log;
  private long begin;
  private volatile String complaint = "";
  private int appended;
  private long heard;
  private volatile LogException failure;

  @AfterEach
  void stopOwner() {
    owner.shutdownNow();
  }

  private <T> T onOwner(Callable<T> task) throws Exception {
    return owner.submit(task).get(180, TimeUnit.SECONDS);
  }

  private Boolean open() {
    machine = new ChainMachine();
    log = LoneLog.open(folder.resolve("data"), LogChild.SETTINGS, machine, owner, this);
    begin = log.lastIndex();
    return log.store.recovery().clean();
  }

  private Integer appendBatch() {
    for (int i = 0; i < 100; i++) {
      ByteBuffer payload = LogChild.payload(machine.count() + 1);
      assertThat(log.hasRoom(payload.remaining())).as(log.noRoomReason()).isTrue();
      machine.applyOwn(payload);
      log.append(payload, DURABILITIES.get(random.nextInt(DURABILITIES.size())));
    }
    return 100;
  }

  @Test
  void allIsCommittedInOrderBoundedByCheckpointsAndFoundAgain() throws Exception {
    assertThat(onOwner(this::open)).isTrue();
    while (appended < ENTRIES) {
      append();
    }
    Await.until(
        "old files to be dropped",
        () -> {
          append();
          return log.stats().firstIndex() > 1;
        });
    Await.until(
        "the commit of all",
        () -> log.stats().durableIndex() >= 1 && committed() == begin + appended);
    assertThat(failure).isNull();
    assertThat(complaint).isEmpty();
    assertThat(log.stats().checkpoints()).isPositive();
    assertThat(log.stats().forces()).isPositive();
    onOwner(
        () -> {
          log.close();
          return true;
        });
    assertThat(onOwner(this::open)).isTrue();
    assertThat(machine.count()).isEqualTo(appended);
    assertThat(machine.hash()).isEqualTo(LogChild.expectedHash(appended));
    onOwner(
        () -> {
          log.close();
          return true;
        });
  }

  private void append() {
    appended += done(this::appendBatch);
  }

  private long committed() {
    return done(log::committedIndex);
  }

  private <T> T done(Callable<T> task) {
    try {
      return onOwner(task);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void committed(long index) {
    if (index <= heard || index > log.lastIndex() || index != log.committedIndex()) {
      complaint = "heard " + index + " after " + heard;
    }
    heard = index;
  }

  @Override
  public void failed(LogException cause) {
    failure = cause;
  }
}
