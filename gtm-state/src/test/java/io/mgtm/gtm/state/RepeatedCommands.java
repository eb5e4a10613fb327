package io.mgtm.gtm.state;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SessionCommand.Numbered;
import io.mgtm.gtm.command.SessionCommand.OpenGateway;
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
 * Gateways that send each command once, to one state, and again and again, after restores from
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
    /** More is dropped than the gateway has. */
    DROPS_TOO_MUCH
  }

  /** A command that was sent, and what the quiet state answered. */
  private record Sent(long number, Command command, Reply reply, boolean effect) {
    boolean snapshot() {
      return command instanceof SnapshotCommand.GetSnapshot;
    }
  }

  /** A gateway that has not the replies to its last commands, or so it acts. */
  private static final class Gateway {
    final long session;
    final Deque<Sent> unacked = new ArrayDeque<>();
    long number;
    long acked;

    Gateway(long session) {
      this.session = session;
    }
  }

  private final int seed;
  private final Fault fault;
  private final Random random;
  private final List<Gateway> gateways = new ArrayList<>();
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
      Gateway gateway = new Gateway((1L << 62) + i);
      gateways.add(gateway);
      both(new OpenGateway(gateway.session, "p" + i, GatewayKind.PROXY, false));
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
        state.gateways(),
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
    Gateway gateway = gateways.get(random.nextInt(FRONTS));
    int dice = random.nextInt(100);
    if (dice < 70) {
      send(gateway);
    } else if (dice < 90) {
      acknowledge(gateway);
    } else if (dice < 97) {
      replay(gateway);
    } else {
      restore();
    }
  }

  private void send(Gateway gateway) {
    if (gateway.unacked.size() >= WINDOW) {
      acknowledge(gateway);
    }
    Command command = command(gateway);
    quiet.beginEntry(1);
    Reply reply = quiet.apply(numbered(gateway, ++gateway.number, command));
    boolean effect = quiet.effect() != Effect.NONE;
    gateway.unacked.addLast(new Sent(gateway.number, command, reply, effect));
    if (reply instanceof TransactionReply.Began began) {
      open.add(began.gxid());
    }
    present(gateway, gateway.unacked.peekLast());
  }

  private static Numbered numbered(Gateway gateway, long number, Command command) {
    return new Numbered(gateway.session, number, gateway.acked, command);
  }

  private void acknowledge(Gateway gateway) {
    int count = random.nextInt(gateway.unacked.size() + 1);
    for (int i = 0; i < count; i++) {
      gateway.acked = gateway.unacked.removeFirst().number();
    }
  }

  /**
   * After a failover a gateway presents all that it has no reply to, in order. What had no effect
   * may have one now, rightly: nobody saw its first reply. Such commands are left out, for the
   * quiet state knows them by their first place only.
   */
  private void replay(Gateway gateway) {
    for (Sent sent : List.copyOf(gateway.unacked)) {
      if (sent.effect()) {
        present(gateway, sent);
      }
    }
  }

  private void present(Gateway gateway, Sent sent) {
    noisy.beginEntry(1);
    Reply reply = noisy.apply(numbered(gateway, sent.number(), sent.command()));
    if (found.isEmpty() && !sent.snapshot() && !reply.equals(sent.reply())) {
      found =
          "seed %d: %s got %s, and %s when it came once"
              .formatted(seed, sent.command(), reply, sent.reply());
    }
    GatewaySession session = noisy.tables().sessions().gateway(gateway.session);
    if (session == null) {
      return;
    }
    if (fault == Fault.NO_REPLIES_KEPT) {
      session.replies().dropUpTo(Long.MAX_VALUE);
    } else if (fault == Fault.DROPS_TOO_MUCH) {
      session.replies().dropUpTo(gateway.acked + 2);
    }
  }

  private void restore() {
    noisy = CheckpointDecoder.decode(ByteBuffer.wrap(CheckpointEncoder.encode(noisy)));
    for (Gateway gateway : gateways) {
      if (fault == Fault.CHECKPOINT_WITHOUT_REPLIES) {
        noisy.tables().sessions().gateway(gateway.session).replies().dropUpTo(Long.MAX_VALUE);
      } else if (fault == Fault.CHECKPOINT_WITHOUT_SESSIONS) {
        noisy.tables().sessions().close(gateway.session);
      }
    }
    gateways.forEach(this::replay);
  }

  private Command command(Gateway gateway) {
    TransactionRef some =
        open.isEmpty()
            ? TransactionRef.gxid(3)
            : TransactionRef.gxid(open.get(random.nextInt(open.size())));
    return switch (random.nextInt(8)) {
      case 0, 1, 2 ->
          new TransactionCommand.Begin(
              gateway.session, (short) 1, Isolation.READ_COMMITTED, false, BeginKind.GXID);
      case 3 -> new TransactionCommand.End(some, Outcome.COMMIT);
      case 4 -> new SnapshotCommand.GetSnapshot(some);
      case 5 -> new TransactionCommand.StartPrepare(some, "T" + names++, "d1");
      case 6 -> new SequenceCommand.Init("s" + names++ % 5, 1, 1, 100_000, 1, false);
      default -> new SequenceCommand.NextValue("s" + random.nextInt(5));
    };
  }
}
