package io.mgtm.gtm.node.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.StatePicture;
import io.mgtm.gtm.node.backup.BackupFile;
import io.mgtm.gtm.node.engine.RecordingPeer;
import io.mgtm.gtm.state.CheckpointEncoder;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.testing.Await;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Backups that go to an operator's link beside the owner. */
class BackupSenderTest {
  private static final long ID = 7;
  private static final int PIECES = 20;
  private static final int PIECE_BYTES = 1_000;

  private final ExecutorService owner = Executors.newSingleThreadExecutor();
  private final RecordingPeer peer = new RecordingPeer("admin");
  private final AtomicInteger encoded = new AtomicInteger();

  @AfterEach
  void end() {
    owner.shutdownNow();
  }

  private BackupSender sender(long stallMs) {
    return new BackupSender(owner, stallMs);
  }

  /** Pieces that are counted as they are made; each is made twice, first for the length. */
  private StatePicture pieces() {
    return to -> {
      for (int i = 0; i < PIECES; i++) {
        encoded.incrementAndGet();
        to.accept(ByteBuffer.allocate(PIECE_BYTES));
      }
    };
  }

  private boolean begin(BackupSender sender, StatePicture state) throws Exception {
    return onOwner(() -> sender.begin(peer, ID, 42, 43, state)).get();
  }

  private <T> Future<T> onOwner(java.util.concurrent.Callable<T> task) {
    return owner.submit(task);
  }

  private void set(Runnable change) throws Exception {
    owner.submit(change).get();
  }

  private String lastTold() throws Exception {
    return onOwner(() -> peer.told.isEmpty() ? "" : peer.told.get(peer.told.size() - 1)).get();
  }

  private int piecesTold() throws Exception {
    return onOwner(() -> (int) peer.told.stream().filter("admin PIECE"::equals).count()).get();
  }

  @Test
  void theWholeBackupComesInOrder() throws Exception {
    GtmState state = new GtmState(10_000);
    BackupSender sender = sender(BackupSender.STALL_MS);
    assertThat(begin(sender, to -> CheckpointEncoder.write(state, to))).isTrue();
    Await.until("the end", () -> lastTold().equals("admin DONE"));
    BackupFile backup = BackupFile.decode(ByteBufUtil.getBytes(peer.pieces));
    assertThat(backup.index()).isEqualTo(42);
    assertThat(backup.takenMicros()).isEqualTo(43);
    assertThat(backup.state(0, backup.stateBytes()))
        .isEqualTo(ByteBuffer.wrap(CheckpointEncoder.encode(state)));
    Await.until("room for another", sender::mayBegin);
  }

  @Test
  void noMoreIsEncodedThanTheLinkTakes() throws Exception {
    set(() -> peer.takesMore = false);
    assertThat(begin(sender(BackupSender.STALL_MS), pieces())).isTrue();
    Await.until("the length to be known", () -> encoded.get() >= PIECES);
    for (int batch = 0; batch < 50; batch++) {
      assertThat(piecesTold()).isZero();
    }
    assertThat(encoded.get()).isLessThanOrEqualTo(PIECES + 1);
    set(() -> peer.takesMore = true);
    Await.until("the end", () -> lastTold().equals("admin DONE"));
    assertThat(piecesTold()).isEqualTo(PIECES + 2); // what stands before and after the state
  }

  @Test
  void aLinkThatTakesNothingIsGivenUp() throws Exception {
    set(() -> peer.takesMore = false);
    BackupSender sender = sender(20);
    assertThat(begin(sender, pieces())).isTrue();
    Await.until("the link to be closed", () -> lastTold().equals("aborted"));
    Await.until("room for another", sender::mayBegin);
    assertThat(piecesTold()).isZero();
  }

  @Test
  void aLinkThatHasEndedIsGivenUpAtOnce() throws Exception {
    set(() -> peer.takesMore = false);
    BackupSender sender = sender(Long.MAX_VALUE / 1_000_000);
    assertThat(begin(sender, pieces())).isTrue();
    set(() -> peer.open = false);
    Await.until("room for another", () -> onOwner(() -> peer.told.contains("aborted")).get());
    Await.until("room for another", sender::mayBegin);
  }

  @Test
  void thoseBeyondTheLimitAreRefusedUntilOneHasEnded() throws Exception {
    set(() -> peer.takesMore = false);
    BackupSender sender = sender(BackupSender.STALL_MS);
    for (int i = 0; i < BackupSender.BACKUPS_MAX; i++) {
      assertThat(sender.mayBegin()).isTrue();
      assertThat(begin(sender, pieces())).isTrue();
    }
    assertThat(sender.mayBegin()).isFalse();
    assertThat(begin(sender, pieces())).isFalse();
    set(() -> peer.takesMore = true);
    Await.until("room for another", sender::mayBegin);
    assertThat(begin(sender, pieces())).isTrue();
  }

  @Test
  void aStateThatCannotBeEncodedIsTold() throws Exception {
    BackupSender sender = sender(BackupSender.STALL_MS);
    StatePicture broken =
        to -> {
          throw new IllegalStateException("planted");
        };
    assertThat(begin(sender, broken)).isTrue();
    Await.until("the answer", () -> lastTold().equals("admin FAILED"));
    Await.until("room for another", sender::mayBegin);
  }

  @Test
  void aNodeThatStopsEndsIt() throws Exception {
    set(() -> peer.takesMore = false);
    BackupSender sender = sender(BackupSender.STALL_MS);
    assertThat(begin(sender, pieces())).isTrue();
    Await.until("the length to be known", () -> encoded.get() >= PIECES);
    owner.shutdown();
    Await.until("the thread to end", sender::mayBegin);
  }
}
