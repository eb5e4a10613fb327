package io.mgtm.group.member;

import io.mgtm.group.core.GroupCore;
import io.mgtm.group.core.Message;
import io.mgtm.group.net.MessageCodec;
import io.mgtm.group.net.Transport;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the core what comes in: at once on the owner thread, and what the transport's own threads
 * bring once those have decoded it.
 */
final class Inbox implements Transport.Receiver {
  private static final Logger log = LoggerFactory.getLogger(Inbox.class);

  /** Messages that wait for the owner; what comes beyond them is dropped, and sent again. */
  private static final int WAITING_MAX = 8_192;

  private final GroupCore core;
  private final MemberListener beside;
  private final Executor owner;
  private final Executor now;
  private final LongSupplier clockMs;
  private final AtomicInteger waiting = new AtomicInteger();

  /**
   * An empty one.
   *
   * @param beside given what is not for the core
   * @param owner runs a task later, on the owner thread
   * @param now runs it at once, called by the owner thread
   */
  Inbox(GroupCore core, MemberListener beside, Executor owner, Executor now, LongSupplier clockMs) {
    this.core = core;
    this.beside = beside;
    this.owner = owner;
    this.now = now;
    this.clockMs = clockMs;
  }

  @Override
  public void receivedByOwner(ByteBuffer bytes) {
    MessageCodec.Envelope envelope = decode(bytes);
    if (envelope != null) {
      now.execute(() -> receive(envelope));
    }
  }

  private static MessageCodec.Envelope decode(ByteBuffer bytes) {
    try {
      return MessageCodec.decode(bytes);
    } catch (IllegalArgumentException e) {
      log.warn("Dropped {}", e.getMessage());
      return null;
    }
  }

  private void receive(MessageCodec.Envelope envelope) {
    if (envelope.message() instanceof Message.OfOrder ordered) {
      beside.received(envelope.from(), ordered);
    } else {
      core.receive(clockMs.getAsLong(), envelope.from(), envelope.message());
    }
  }

  @Override
  public void received(ByteBuffer bytes) {
    MessageCodec.Envelope envelope = decode(bytes);
    if (envelope == null) {
      return;
    }
    if (waiting.incrementAndGet() > WAITING_MAX) {
      waiting.decrementAndGet();
      return;
    }
    owner.execute(
        () -> {
          waiting.decrementAndGet();
          receive(envelope);
        });
  }

  @Override
  public void down(String name) {
    owner.execute(() -> core.peerDown(clockMs.getAsLong(), name));
  }

  @Override
  public void broken(String name) {
    now.execute(() -> core.connectionBroken(clockMs.getAsLong(), name));
  }

  @Override
  public void up(String name) {
    owner.execute(() -> core.peerUp(clockMs.getAsLong(), name));
  }

  @Override
  public void rival(String place) {
    owner.execute(() -> core.rival(place));
  }
}
