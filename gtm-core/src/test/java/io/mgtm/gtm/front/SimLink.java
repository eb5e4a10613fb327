package io.mgtm.gtm.front;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.QueryCodec;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.gtm.wire.link.Standing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** A link whose two directions keep their order, take their time, and may break at any moment. */
final class SimLink implements Link {
  /** What a planted fault remembers across links. */
  static final class Memory {
    private final Map<Long, Long> highestSent = new HashMap<>();
    private final Map<Long, Map<Long, Command>> sent = new HashMap<>();
  }

  private final SimNode node;
  private final LinkListener listener;
  private final SimTime time;
  private final RandomGenerator random;
  private final SimFault fault;
  private final Memory memory;
  private final boolean moody;
  private boolean broken;
  private long toNodeAt;
  private long toFrontAt;

  SimLink(
      SimNode node,
      LinkListener listener,
      SimTime time,
      RandomGenerator random,
      SimFault fault,
      Memory memory,
      boolean moody) {
    this.node = node;
    this.listener = listener;
    this.time = time;
    this.random = random;
    this.fault = fault;
    this.memory = memory;
    this.moody = moody;
    toNode(() -> node.opened(this));
  }

  private void toNode(Runnable message) {
    toNodeAt = Math.max(toNodeAt, time.nanos() + 50_000 + random.nextInt(500_000));
    time.afterNanos(
        toNodeAt - time.nanos(),
        () -> {
          if (!broken) {
            message.run();
          }
        });
  }

  private void toFront(Runnable message) {
    toFrontAt = Math.max(toFrontAt, time.nanos() + 50_000 + random.nextInt(500_000));
    time.afterNanos(
        toFrontAt - time.nanos(),
        () -> {
          if (!broken) {
            message.run();
          }
        });
  }

  /** What is on its way is lost. */
  void breakNow(String why) {
    if (!broken) {
      broken = true;
      node.closed(this);
      time.afterNanos(random.nextInt(2_000_000), () -> listener.closed(why));
    }
  }

  @Override
  public void attach(long session, boolean fresh, long acked, boolean proxied) {
    boolean claimed = fresh || fault == SimFault.REOPEN_LOST_SESSION;
    boolean mood = moody && random.nextInt(5) == 0;
    toNode(() -> node.attach(this, session, claimed, mood));
  }

  @Override
  public void commands(long session, long acked, long first, int count, ByteBuf bytes) {
    List<Command> commands = new ArrayList<>();
    ByteBuffer in = bytes.nioBuffer();
    for (int i = 0; i < count; i++) {
      in.getShort();
      commands.add(QueryCodec.decode(in));
    }
    if (in.hasRemaining()) {
      throw new SimViolation("bytes behind the commands");
    }
    long highest = memory.highestSent.getOrDefault(session, 0L);
    if (first > highest + 1) {
      throw new SimViolation("number " + first + " comes after " + highest);
    }
    Map<Long, Command> known = memory.sent.computeIfAbsent(session, id -> new HashMap<>());
    boolean repeats = first <= highest;
    for (int i = 0; i < count; i++) {
      known.put(first + i, commands.get(i));
    }
    memory.highestSent.put(session, Math.max(highest, first + count - 1));
    long from = first;
    if (repeats) {
      switch (fault) {
        case FORGET_REPLAY -> {
          int skipped = (int) Math.min(count, highest - first + 1);
          commands = commands.subList(skipped, count);
          from += skipped;
        }
        case REPLAY_BACKWARDS -> Collections.reverse(commands);
        case REPLAY_ANSWERED -> {
          if (first > 1) {
            from--;
            commands.add(0, known.get(from));
          }
        }
        default -> {}
      }
    }
    long at = from;
    List<Command> whole = List.copyOf(commands);
    toNode(() -> node.commands(this, session, acked, at, whole));
  }

  @Override
  public void present(LinkEntries entries) {
    throw new SimViolation("entries are presented that were never given");
  }

  @Override
  public void pull(long id, boolean more) {
    throw new AssertionError("no long reply was told");
  }

  @Override
  public void closeSession(long session) {
    toNode(() -> node.close(session));
  }

  @Override
  public void ping(long nonce) {
    toNode(() -> toFront(() -> listener.pong(nonce)));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    breakNow("the front closed it");
  }

  void nodeTells(Standing standing) {
    toFront(() -> listener.standing(standing));
  }

  void nodeAttaches(long session, long last) {
    toFront(() -> listener.attached(session, last));
  }

  void nodeRefuses(long session, RefusalCode code) {
    toFront(() -> listener.refused(session, code, code.name(), ""));
  }

  void nodeReplies(long session, long number, String reply) {
    ByteBuf bytes = Unpooled.wrappedBuffer(reply.getBytes(StandardCharsets.UTF_8));
    toFront(() -> listener.reply(session, number, false, bytes));
  }
}
