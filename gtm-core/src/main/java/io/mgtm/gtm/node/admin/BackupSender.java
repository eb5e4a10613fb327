package io.mgtm.gtm.node.admin;

import io.mgtm.group.StatePicture;
import io.mgtm.gtm.node.backup.BackupFile;
import io.mgtm.gtm.node.engine.GatewayPeer;
import io.mgtm.gtm.wire.link.AdminReplyKind;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends backups: each on a thread of its own, which encodes the picture piece by piece, as fast as
 * the link takes them. A link that takes nothing for a while gets no more, and its picture is given
 * up.
 */
final class BackupSender {
  /** How many are taken at a time: each holds a picture of the state. */
  static final int BACKUPS_MAX = 2;

  static final String BUSY =
      BACKUPS_MAX + " backups are being taken already; wait until one has ended";

  private static final String NOT_WRITTEN = "the node could not write the backup; its log says why";

  private static final Logger log = LoggerFactory.getLogger(BackupSender.class);
  private static final int WAIT_MS = 2;

  /** How long a link may take nothing. */
  static final long STALL_MS = 30_000;

  private final Executor owner;
  private final long stallMs;
  private final AtomicInteger running = new AtomicInteger();

  BackupSender(Executor owner, long stallMs) {
    this.owner = owner;
    this.stallMs = stallMs;
  }

  /** Whether one more may be taken. Any thread. */
  boolean mayBegin() {
    return running.get() < BACKUPS_MAX;
  }

  /**
   * Begins to send one; false when too many are being sent. Owner thread.
   *
   * @param index of the last entry in the picture
   */
  boolean begin(GatewayPeer peer, long id, long index, long micros, StatePicture state) {
    if (running.incrementAndGet() > BACKUPS_MAX) {
      running.decrementAndGet();
      return false;
    }
    log.info("{} takes a backup at entry {}", peer.describe(), index);
    Thread thread =
        new Thread(
            () -> {
              try {
                send(peer, id, index, micros, state);
              } finally {
                running.decrementAndGet();
              }
            },
            "backup");
    thread.setDaemon(true);
    thread.start();
    return true;
  }

  private void send(GatewayPeer peer, long id, long index, long micros, StatePicture state) {
    try {
      BackupFile.write(index, micros, state, piece -> send(peer, id, piece));
      owner.execute(() -> AdminReplies.reply(peer, id, AdminReplyKind.DONE, new byte[0]));
    } catch (RejectedExecutionException e) {
      log.info("The backup for {} is given up: this node stops", peer.describe());
    } catch (StalledException e) {
      log.warn("The backup for {} is given up: {}", peer.describe(), e.getMessage());
      owner.execute(peer::abort);
    } catch (RuntimeException | OutOfMemoryError e) {
      log.error("The backup for {} failed", peer.describe(), e);
      owner.execute(() -> AdminReplies.fail(peer, id, NOT_WRITTEN));
    }
  }

  /** The link takes nothing. */
  private static final class StalledException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StalledException(String message) {
      super(message);
    }
  }

  private void send(GatewayPeer peer, long id, ByteBuffer piece) {
    byte[] bytes = new byte[piece.remaining()];
    piece.duplicate().get(bytes);
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(stallMs);
    while (!offered(peer, id, bytes)) {
      if (System.nanoTime() - deadline > 0) {
        throw new StalledException("its link took nothing for " + stallMs + " ms");
      }
      pause();
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(WAIT_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StalledException("the thread was interrupted");
    }
  }

  private enum Offer {
    TAKEN,
    FULL,
    GONE
  }

  /** Whether the link took it; it holds no more than one piece beyond what it sends. */
  private boolean offered(GatewayPeer peer, long id, byte[] bytes) {
    CompletableFuture<Offer> answer = new CompletableFuture<>();
    owner.execute(() -> answer.complete(offer(peer, id, bytes)));
    try {
      Offer offer = answer.get(STALL_MS, TimeUnit.MILLISECONDS);
      if (offer == Offer.GONE) {
        throw new StalledException("its link has ended");
      }
      return offer == Offer.TAKEN;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StalledException("the thread was interrupted");
    } catch (ExecutionException | TimeoutException e) {
      throw new StalledException("the node is busy or stops");
    }
  }

  /** Owner thread. */
  private static Offer offer(GatewayPeer peer, long id, byte[] bytes) {
    if (!peer.isOpen()) {
      return Offer.GONE;
    }
    if (!peer.takesMore()) {
      return Offer.FULL;
    }
    AdminReplies.reply(peer, id, AdminReplyKind.PIECE, bytes);
    return Offer.TAKEN;
  }
}
