package io.mgtm.gtm.sim;

import io.mgtm.gtm.command.CommandCodec;
import io.mgtm.gtm.gateway.Link;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A planted fault, between a gateway and its link: what it sends is not what it should be. */
final class FaultyLink implements Link {

  /** What a gateway has sent, over whichever links, and its former processes too. */
  static final class Memory {
    private final Map<Long, TreeMap<Long, ByteBuf>> sent = new HashMap<>();

    /** Sessions, and whether they are proxied. */
    private final Map<Long, Boolean> own = new TreeMap<>();

    private final Map<Long, Boolean> former = new TreeMap<>();

    /** The gateway's process has died. */
    void died() {
      former.putAll(own);
      own.clear();
    }

    private NavigableMap<Long, ByteBuf> of(long session) {
      return sent.computeIfAbsent(session, id -> new TreeMap<>());
    }
  }

  private final Link link;
  private final Fault fault;
  private final Memory memory;
  private boolean used;

  FaultyLink(Link link, Fault fault, Memory memory) {
    this.link = link;
    this.fault = fault;
    this.memory = memory;
  }

  @Override
  public void attach(long session, boolean fresh, long acked, boolean proxied) {
    if (fault == Fault.NO_SKIP && !used) {
      used = true;
      memory.former.forEach(this::asIfItHadSeenNothing);
    }
    memory.own.put(session, proxied);
    link.attach(session, fresh || fault == Fault.REOPEN_LOST_SESSION, acked, proxied);
  }

  private void asIfItHadSeenNothing(long session, boolean proxied) {
    link.attach(session, false, 0, proxied);
    link.closeSession(session);
  }

  @Override
  public void commands(long session, long acked, long first, int count, ByteBuf commands) {
    NavigableMap<Long, ByteBuf> known = memory.of(session);
    List<ByteBuf> all = split(commands, count);
    long from = first;
    if (!known.isEmpty() && first <= known.lastKey()) {
      switch (fault) {
        case FORGET_REPLAY -> {
          int old = (int) Math.min(count, known.lastKey() - first + 1);
          all = all.subList(old, count);
          from += old;
        }
        case REPLAY_BACKWARDS -> Collections.reverse(all);
        case REPLAY_ANSWERED -> {
          if (first > 1) {
            from--;
            all.add(0, known.get(from));
          }
        }
        default -> {}
      }
    }
    for (int i = 0; i < all.size(); i++) {
      known.put(from + i, all.get(i));
    }
    if (!all.isEmpty()) {
      link.commands(session, acked, from, all.size(), joined(all));
    }
  }

  private static List<ByteBuf> split(ByteBuf commands, int count) {
    ByteBuffer in = Unpooled.copiedBuffer(commands).nioBuffer();
    List<ByteBuf> split = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ByteBuffer one = in.slice();
      in.getShort();
      CommandCodec.decode(in);
      split.add(Unpooled.wrappedBuffer(one.limit(one.limit() - in.remaining())));
    }
    return split;
  }

  private static ByteBuf joined(List<ByteBuf> commands) {
    return Unpooled.copiedBuffer(commands.toArray(new ByteBuf[0]));
  }

  @Override
  public void present(LinkEntries entries) {
    if (fault == Fault.OTHER_ORDER) {
      List<byte[]> other = new ArrayList<>(entries.entries());
      Collections.reverse(other);
      link.present(new LinkEntries(entries.term(), entries.first(), entries.stable(), other));
    } else if (fault != Fault.FORGET_AT_REPLY) {
      link.present(entries);
    }
  }

  @Override
  public void pull(long id, boolean more) {
    link.pull(id, more);
  }

  @Override
  public void closeSession(long session) {
    link.closeSession(session);
  }

  @Override
  public void ping(long nonce) {
    link.ping(nonce);
  }

  @Override
  public void flush() {
    link.flush();
  }

  @Override
  public void close() {
    link.close();
  }
}
