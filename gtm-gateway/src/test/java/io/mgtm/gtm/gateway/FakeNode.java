package io.mgtm.gtm.gateway;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandCodec;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A node in the same process that does as a test says: it notes what it is sent, and answers begins
 * with gxids, either at once or when it is told to.
 */
final class FakeNode implements LinkConnector {
  /** A command that it was sent. */
  record Got(long session, long number, short backend, Command command) {}

  /** A session that it was asked to attach. */
  record Attach(long session, boolean fresh, long acked, boolean proxied) {}

  private final EventLoop loop;
  private final ReplyEncoder encoder = new ReplyEncoder();
  private final List<Got> held = new ArrayList<>();
  private final AtomicInteger gxids = new AtomicInteger(100);
  private LinkListener listener;
  private long term = 1;

  final List<Integer> frames = new CopyOnWriteArrayList<>();
  final LinkedBlockingQueue<Got> got = new LinkedBlockingQueue<>();
  final LinkedBlockingQueue<Attach> attached = new LinkedBlockingQueue<>();
  final LinkedBlockingQueue<Long> closed = new LinkedBlockingQueue<>();
  final AtomicInteger outstanding = new AtomicInteger();
  final AtomicInteger outstandingMost = new AtomicInteger();
  final AtomicLong flushes = new AtomicLong();
  final LinkedBlockingQueue<Boolean> pulls = new LinkedBlockingQueue<>();
  private final Map<Long, Integer> lists = new HashMap<>();
  volatile boolean leads = true;

  /** What it answers to whoever asks for sequences, in pieces of as many bytes. */
  volatile byte[] list;

  volatile int pieceBytes = 64 * 1024;

  /** Whether pieces are sent when they are asked for. */
  volatile boolean sendsPieces = true;

  /** A command of this type cannot be read by it, or its answer not by the gateway. */
  volatile CommandType garbles;

  volatile boolean answers = true;

  FakeNode(EventLoop loop) {
    this.loop = loop;
  }

  @Override
  public String address() {
    return "fake:1";
  }

  @Override
  public Link connect(LinkListener to) {
    listener = to;
    loop.execute(this::tellLeadership);
    return new FakeLink();
  }

  private void tellLeadership() {
    listener.leadership(new Leadership(leads, term, "fake", leads ? "fake" : "", "", null));
  }

  /** Leads in a new term from now on, or leads no more. */
  void lead(boolean now) {
    loop.execute(
        () -> {
          leads = now;
          term++;
          tellLeadership();
        });
  }

  /** Answers what it holds, and from now on everything at once. */
  void answerAll() {
    loop.execute(
        () -> {
          answers = true;
          List<Got> now = List.copyOf(held);
          held.clear();
          now.forEach(this::answer);
        });
  }

  /** Refuses a session. */
  void refuse(long session, RefusalCode code) {
    loop.execute(
        () -> {
          held.clear();
          outstanding.set(0);
          listener.refused(session, code, "it is " + code, "A hint.");
        });
  }

  /** Sends the next piece of its only list, or tells that there is no such list any more. */
  void sendPiece(boolean known) {
    loop.execute(() -> piece(lists.keySet().iterator().next(), known));
  }

  private void piece(long id, boolean known) {
    int from = lists.get(id);
    int bytes = known ? Math.min(pieceBytes, list.length - from) : 0;
    lists.put(id, from + bytes);
    if (!known) {
      lists.remove(id);
    }
    listener.piece(id, Unpooled.wrappedBuffer(list, from, bytes));
  }

  /** Sends a reply, asked for or not. */
  void answer(long session, long number) {
    loop.execute(() -> listener.reply(session, number, false, Unpooled.EMPTY_BUFFER));
  }

  private void answer(Got command) {
    outstanding.decrementAndGet();
    if (list != null && command.command() instanceof SequenceCommand.ListAll) {
      lists.put(command.number(), 0);
      listener.pieces(command.session(), command.number(), command.number(), list.length);
      return;
    }
    ByteBuf reply = Unpooled.buffer();
    if (command.command() instanceof TransactionCommand.Begin begin) {
      encoder.encode(
          reply,
          command.backend() >= 1_000,
          command.backend(),
          new io.mgtm.gtm.command.TransactionReply.Began(
              begin.kind(), -1, gxids.getAndIncrement(), 0));
    } else if (command.command() instanceof TransactionCommand.End end) {
      encoder.encode(
          reply,
          false,
          command.backend(),
          new io.mgtm.gtm.command.TransactionReply.Ended(
              end.outcome(), end.transaction().value(), true));
    }
    listener.reply(command.session(), command.number(), false, reply);
    reply.release();
  }

  private final class FakeLink implements Link {
    @Override
    public void attach(long session, boolean fresh, long acked, boolean proxied) {
      attached.add(new Attach(session, fresh, acked, proxied));
      loop.execute(() -> listener.attached(session, 0));
    }

    @Override
    public void commands(long session, long acked, long first, int count, ByteBuf commands) {
      frames.add(count);
      ByteBuffer in = commands.nioBuffer();
      for (int i = 0; i < count; i++) {
        short backend = in.getShort();
        Got command = new Got(session, first + i, backend, CommandCodec.decode(in));
        got.add(command);
        held.add(command);
        outstandingMost.accumulateAndGet(outstanding.incrementAndGet(), Math::max);
        if (command.command().type() == garbles) {
          held.remove(command);
          answerAll();
          loop.execute(listener::garbled);
          close();
          return;
        }
      }
      if (answers) {
        answerAll();
      }
    }

    @Override
    public void present(LinkEntries entries) {
      throw new AssertionError("nothing was given to keep");
    }

    @Override
    public void pull(long id, boolean more) {
      boolean sends = more && sendsPieces; // A test that hears of the pull may change it.
      pulls.add(more);
      if (sends) {
        loop.execute(() -> piece(id, true));
      } else if (!more) {
        lists.remove(id);
      }
    }

    @Override
    public void closeSession(long session) {
      closed.add(session);
    }

    @Override
    public void ping(long nonce) {
      loop.execute(() -> listener.pong(nonce));
    }

    @Override
    public void flush() {
      flushes.incrementAndGet();
    }

    @Override
    public void close() {
      loop.execute(() -> listener.closed("it was closed"));
    }
  }
}
