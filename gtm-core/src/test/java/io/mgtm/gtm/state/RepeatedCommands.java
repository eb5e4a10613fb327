package io.mgtm.gtm.state;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.FrontKind;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SessionCommand.Numbered;
import io.mgtm.gtm.command.SessionCommand.OpenFront;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.command.TransactionReply;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Fronts that send each command once, to one state, and again and again, after restores from
 * checkpoints as a new leader makes them, to another. Both must give the same replies and end
 * alike.
 */
final class RepeatedCommands {
  private static final int STEPS = 1_500;
  private static final int FRONTS = 3;
  private static final int WINDOW = 12;

  /** What goes wrong in the second state on purpose. */
  enum Fault {
    NONE,
    /** Replies are not kept. */
    NO_REPLIES_KEPT,
    /** A checkpoint forgets the replies. */
    CHECKPOINT_WITHOUT_REPLIES,
    /** A checkpoint forgets the sessions. */
    CHECKPOINT_WITHOUT_SESSIONS,
    /** More is dropped than the front has. */
    DROPS_TOO_MUCH
  }

  /** A command that was sent, and what the quiet state answered. */
  private record Sent(long number, Command command, Reply reply, boolean effect) {
    boolean snapshot() {
      return command instanceof SnapshotCommand.GetSnapshot;
    }
  }

  /** A front that has not the replies to its last commands, or so it acts. */
  private static final class Front {
    final long session;
    final Deque<Sent> unacked = new ArrayDeque<>();
    long number;
    long acked;

    Front(long session) {
      this.session = session;
    }
  }

  private final int seed;
  private final Fault fault;
  private final Random random;
  private final List<Front> fronts = new ArrayList<>();
  private final List<Integer> open = new ArrayList<>();
  private final GtmState quiet = new GtmState(10_000);
  private GtmState noisy = new GtmState(10_000);
  private String found = "";
  private int names;

  RepeatedCommands(int seed, Fault fault) {
    this.seed = seed;
    this.fault = fault;
    this.random = new Random(seed);
  }

  static IntStream seeds() {
    return IntStream.rangeClosed(1, Integer.getInteger("seeds", 40));
  }

  /** What differs first, empty when nothing does. */
  String run() {
    for (int i = 0; i < FRONTS; i++) {
      Front front = new Front((1L << 62) + i);
      fronts.add(front);
      both(new OpenFront(front.session, "p" + i, FrontKind.PROXY, false));
    }
    for (int step = 0; step < STEPS && found.isEmpty(); step++) {
      step();
    }
    if (found.isEmpty() && !ends(quiet).equals(ends(noisy))) {
      found = "seed " + seed + ": the states differ at the end";
    }
    return found;
  }

  /** All but what snapshots, which are repeated too, may leave different. */
  private static Object ends(GtmState state) {
    return List.of(
        state.counts(),
        state.fronts(),
        state.apply(new SequenceCommand.ListAll()),
        state.apply(new TransactionCommand.ListPrepared()),
        ((TransactionReply.TransactionList) state.apply(new TransactionCommand.ListTransactions()))
            .transactions());
  }

  private void both(Command command) {
    quiet.beginEntry(1);
    quiet.apply(command);
    noisy.beginEntry(1);
    noisy.apply(command);
  }

  private void step() {
    Front front = fronts.get(random.nextInt(FRONTS));
    int dice = random.nextInt(100);
    if (dice < 70) {
      send(front);
    } else if (dice < 90) {
      acknowledge(front);
    } else if (dice < 97) {
      replay(front);
    } else {
      restore();
    }
  }

  private void send(Front front) {
    if (front.unacked.size() >= WINDOW) {
      acknowledge(front);
    }
    Command command = command(front);
    quiet.beginEntry(1);
    Reply reply = quiet.apply(numbered(front, ++front.number, command));
    boolean effect = quiet.effect() != Effect.NONE;
    front.unacked.addLast(new Sent(front.number, command, reply, effect));
    if (reply instanceof TransactionReply.Began began) {
      open.add(began.gxid());
    }
    present(front, front.unacked.peekLast());
  }

  private static Numbered numbered(Front front, long number, Command command) {
    return new Numbered(front.session, number, front.acked, command);
  }

  private void acknowledge(Front front) {
    int count = random.nextInt(front.unacked.size() + 1);
    for (int i = 0; i < count; i++) {
      front.acked = front.unacked.removeFirst().number();
    }
  }

  /**
   * After a failover a front presents all that it has no reply to, in order. What had no effect may
   * have one now, rightly: nobody saw its first reply. Such commands are left out, for the quiet
   * state knows them by their first place only.
   */
  private void replay(Front front) {
    for (Sent sent : List.copyOf(front.unacked)) {
      if (sent.effect()) {
        present(front, sent);
      }
    }
  }

  private void present(Front front, Sent sent) {
    noisy.beginEntry(1);
    Reply reply = noisy.apply(numbered(front, sent.number(), sent.command()));
    if (found.isEmpty() && !sent.snapshot() && !reply.equals(sent.reply())) {
      found =
          "seed %d: %s got %s, and %s when it came once"
              .formatted(seed, sent.command(), reply, sent.reply());
    }
    FrontSession session = noisy.sessions().front(front.session);
    if (session == null) {
      return;
    }
    if (fault == Fault.NO_REPLIES_KEPT) {
      session.replies().dropUpTo(Long.MAX_VALUE);
    } else if (fault == Fault.DROPS_TOO_MUCH) {
      session.replies().dropUpTo(front.acked + 2);
    }
  }

  private void restore() {
    noisy = CheckpointDecoder.decode(ByteBuffer.wrap(CheckpointEncoder.encode(noisy)));
    for (Front front : fronts) {
      if (fault == Fault.CHECKPOINT_WITHOUT_REPLIES) {
        noisy.sessions().front(front.session).replies().dropUpTo(Long.MAX_VALUE);
      } else if (fault == Fault.CHECKPOINT_WITHOUT_SESSIONS) {
        noisy.sessions().close(front.session);
      }
    }
    fronts.forEach(this::replay);
  }

  private Command command(Front front) {
    TransactionRef some =
        open.isEmpty()
            ? TransactionRef.gxid(3)
            : TransactionRef.gxid(open.get(random.nextInt(open.size())));
    return switch (random.nextInt(8)) {
      case 0, 1, 2 ->
          new TransactionCommand.Begin(
              front.session, (short) 1, Isolation.READ_COMMITTED, false, BeginKind.GXID);
      case 3 -> new TransactionCommand.End(some, Outcome.COMMIT);
      case 4 -> new SnapshotCommand.GetSnapshot(some);
      case 5 -> new TransactionCommand.StartPrepare(some, "T" + names++, "d1");
      case 6 -> new SequenceCommand.Init("s" + names++ % 5, 1, 1, 100_000, 1, false);
      default -> new SequenceCommand.NextValue("s" + random.nextInt(5));
    };
  }
}
