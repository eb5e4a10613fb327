package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.Durability;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.storage.DataDirectory;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.group.storage.QuietLog;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A log on a real file system that is full, or cannot be written. */
@ExtendWith(QuietLog.class)
class FileSystemIT {
  private static final GroupSettings SETTINGS =
      GroupSettings.alone(
          DurabilityMode.CRITICAL, new LogSettings(256 << 10, 1, 2, 5_000, 10), 1L << 30);

  @TempDir Path temp;

  private final ScheduledExecutorService owner = Executors.newSingleThreadScheduledExecutor();
  private final AtomicReference<LogException> failure = new AtomicReference<>();
  private ChainMachine machine = new ChainMachine();
  private LoneLog log;

  @AfterEach
  void stopOwner() {
    owner.shutdownNow();
  }

  private <T> T onOwner(Callable<T> task) {
    try {
      return owner.submit(task).get(180, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  private void open(Path folder) {
    machine = new ChainMachine();
    log =
        onOwner(
            () ->
                LoneLog.open(
                    folder,
                    SETTINGS,
                    machine,
                    owner,
                    new ReplicatedLog.Listener() {
                      @Override
                      public void committed(long index) {}

                      @Override
                      public void failed(LogException cause) {
                        failure.set(cause);
                      }
                    }));
  }

  /** Appends until there is no room, and returns how many entries found some. */
  private int fill(int entriesMax) {
    return onOwner(
        () -> {
          int appended = 0;
          ByteBuffer payload = ByteBuffer.allocate(200);
          while (appended < entriesMax && log.hasRoom(200)) {
            machine.applyOwn(payload);
            log.append(payload, Durability.REQUIRED);
            appended++;
          }
          return appended;
        });
  }

  @Test
  void aFullDiskIsSaidNothingIsLostAndServiceResumes() throws IOException {
    try (TmpfsMount mount = TmpfsMount.mount(temp.resolve("full"), 4 << 20)) {
      Path ballast = mount.folder().resolve("ballast");
      Files.write(ballast, new byte[2 << 20]);
      Path data = mount.folder().resolve("data");
      open(data);
      machine.refuseCheckpoints(true);
      int appended = fill(1_000_000);
      assertThat(appended).isBetween(1_000, 20_000);
      assertThat(onOwner(() -> log.noRoomReason()))
          .contains(data.toString())
          .contains("the disk has")
          .contains("free some space");
      Await.until("the commit of all", () -> onOwner(log::committedIndex) == appended + 1);
      Files.delete(ballast);
      Await.until("room", () -> onOwner(() -> log.hasRoom(200)));
      assertThat(fill(1_000)).isEqualTo(1_000);
      assertThat(failure.get()).isNull();
      onOwner(
          () -> {
            log.close();
            return null;
          });
      open(data);
      assertThat(log.store.recovery().clean()).isTrue();
      assertThat(machine.count()).isEqualTo(appended + 1_000L);
    }
  }

  @Test
  void aFullDiskDoesNotKeepALogFromBeingClosedAndIsSaidAtTheNextStart() throws IOException {
    try (TmpfsMount mount = TmpfsMount.mount(temp.resolve("full"), 2 << 20)) {
      Path data = mount.folder().resolve("data");
      Path reserve = Files.write(mount.folder().resolve("reserve"), new byte[600 << 10]);
      open(data);
      machine.refuseCheckpoints(true);
      int appended = fill(1_000_000);
      Path ballast = mount.folder().resolve("ballast");
      fillUp(ballast);
      onOwner(
          () -> {
            log.close();
            return null;
          });
      assertThatThrownBy(() -> open(data))
          .rootCause()
          .isInstanceOfSatisfying(
              LogException.class, e -> assertThat(e.category()).isEqualTo(Category.NO_SPACE))
          .hasMessageContaining("free some space");
      Files.delete(ballast);
      Files.delete(reserve);
      open(data);
      assertThat(machine.count()).isEqualTo(appended);
    }
  }

  @Test
  void aFullDiskIsRelievedByACheckpoint() throws IOException {
    try (TmpfsMount mount = TmpfsMount.mount(temp.resolve("full"), 2 << 20)) {
      Path data = mount.folder().resolve("data");
      open(data);
      int appended = fill(1_000_000);
      Await.until("room by what a checkpoint covers", () -> onOwner(() -> log.hasRoom(200)));
      assertThat(log.stats().checkpoints()).isEqualTo(1);
      assertThat(log.stats().firstIndex()).isBetween(2L, appended + 1L);
      assertThat(fill(1_000)).isEqualTo(1_000);
    }
  }

  private static void fillUp(Path ballast) {
    assertThatThrownBy(() -> Files.write(ballast, new byte[2 << 20]))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("space");
  }

  @Test
  void aFullDiskRefusesANewLogWithItsReason() throws IOException {
    try (TmpfsMount mount = TmpfsMount.mount(temp.resolve("full"), 64 << 10)) {
      assertThatThrownBy(
              () ->
                  LoneLog.open(
                      mount.folder().resolve("data"),
                      SETTINGS,
                      machine,
                      owner,
                      new ReplicatedLog.Listener() {
                        @Override
                        public void committed(long index) {}

                        @Override
                        public void failed(LogException cause) {}
                      }))
          .isInstanceOfSatisfying(
              LogException.class, e -> assertThat(e.category()).isEqualTo(Category.NO_SPACE))
          .hasMessageContaining("free some space");
    }
  }

  @Test
  void aReadOnlyFileSystemIsRefusedWithItsReason() throws IOException {
    try (TmpfsMount mount = TmpfsMount.mount(temp.resolve("ro"), 4 << 20)) {
      Path data = mount.folder().resolve("data");
      DataDirectory.open(data).close();
      mount.makeReadOnly();
      for (Path folder : new Path[] {data, mount.folder().resolve("new")}) {
        assertThatThrownBy(() -> DataDirectory.open(folder))
            .isInstanceOfSatisfying(
                LogException.class, e -> assertThat(e.category()).isEqualTo(Category.ACCESS))
            .hasMessageContaining(folder.toString())
            .hasMessageContaining("Read-only file system")
            .hasMessageContaining("choose another folder");
      }
    }
  }
}
