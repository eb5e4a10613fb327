package io.mgtm.group.member;

import io.mgtm.group.core.GroupCore;
import io.mgtm.group.net.MessageCodec;
import io.mgtm.group.net.Transport;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decodes on the transport's threads what the owner thread then gives to the core. */
final class Inbox implements Transport.Receiver {
  private static final Logger log = LoggerFactory.getLogger(Inbox.class);

  /** Messages that wait for the owner; what comes beyond them is dropped, and sent again. */
  private static final int WAITING_MAX = 8_192;

  private final GroupCore core;
  private final Executor owner;
  private final LongSupplier clockMs;
  private final AtomicInteger waiting = new AtomicInteger();

  Inbox(GroupCore core, Executor owner, LongSupplier clockMs) {
    this.core = core;
    this.owner = owner;
    this.clockMs = clockMs;
  }

  @Override
  public void received(ByteBuffer bytes) {
    MessageCodec.Envelope envelope;
    try {
      envelope = MessageCodec.decode(bytes);
    } catch (IllegalArgumentException e) {
      log.warn("Dropped {}", e.getMessage());
      return;
    }
    if (waiting.incrementAndGet() > WAITING_MAX) {
      waiting.decrementAndGet();
      return;
    }
    owner.execute(
        () -> {
          waiting.decrementAndGet();
          core.receive(clockMs.getAsLong(), envelope.from(), envelope.message());
        });
  }

  @Override
  public void down(String name) {
    owner.execute(() -> core.peerDown(clockMs.getAsLong(), name));
  }

  @Override
  public void up(String name) {
    owner.execute(() -> core.peerUp(clockMs.getAsLong(), name));
  }
}
