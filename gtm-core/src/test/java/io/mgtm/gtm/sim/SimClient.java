package io.mgtm.gtm.sim;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SequenceReply;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.SnapshotReply;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.gateway.SimulatedGateway;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.ReplyDecoder;
import io.mgtm.gtm.wire.xc12.ReplyHandler;
import io.mgtm.gtm.wire.xc12.ResultType;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A client of a gateway: it begins transactions, takes snapshots, draws values of sequences, now
 * and then several at once, and ends.
 */
final class SimClient implements ReplyHandler {
  private static final long THINK_MS = 20;
  private static final int DRAWN_AT_ONCE_MAX = 6;

  private final Simulation simulation;
  private final World world;
  private final SimProcess process;
  private final SimulatedGateway gateway;
  private final short backend;
  private final boolean own;
  private final boolean hasty;
  private final Deque<Asked> asked = new ArrayDeque<>();
  private final Map<String, Long> drawn = new HashMap<>();

  /** Null before it has begun, and after the group has lost it. */
  private SimulatedGateway.Session session;

  private int gxid;
  private boolean stopping;

  SimClient(Simulation simulation, SimProcess process, SimulatedGateway gateway, short backend) {
    this.simulation = simulation;
    this.world = simulation.world;
    this.process = process;
    this.gateway = gateway;
    this.backend = backend;
    this.own = world.oneIn(4);
    this.hasty = world.oneIn(4);
  }

  void start() {
    process.after(
        world.random.nextLong(THINK_MS),
        () -> {
          session = gateway.join(own, this::sessionLost);
          ask();
        });
  }

  private void ask() {
    if (stopping || session == null || !asked.isEmpty()) {
      return;
    }
    Command next = next();
    submit(next);
    if (hasty && next instanceof SequenceCommand) {
      for (int more = world.random.nextInt(DRAWN_AT_ONCE_MAX); more > 0; more--) {
        submit(draw());
      }
    }
  }

  private void submit(Command command) {
    Asked next = new Asked(command, world.now());
    asked.addLast(next);
    session.submit(backend, command, next);
  }

  private Command next() {
    if (gxid == 0) {
      return new TransactionCommand.Begin(
          session.id(), backend, Isolation.READ_COMMITTED, false, BeginKind.GXID);
    }
    if (simulation.mostlyDraws && world.random.nextInt(6) > 0) {
      return new SequenceCommand.NextValue("s0");
    }
    // Where most only read, a leader that is cut off may have nothing but reads to answer.
    int what = world.random.nextInt(simulation.mostlyReads ? 40 : 5);
    switch (what) {
      case 0, 1 -> {
        simulation.clients.ending(gxid);
        return new TransactionCommand.End(TransactionRef.gxid(gxid), Outcome.COMMIT);
      }
      case 2 -> {
        return draw();
      }
      default -> {
        return new SnapshotCommand.GetSnapshot(TransactionRef.gxid(gxid));
      }
    }
  }

  private Command draw() {
    return new SequenceCommand.NextValue("s" + world.random.nextInt(Simulation.SEQUENCES));
  }

  private void goOn() {
    asked.removeFirst();
    process.after(world.random.nextLong(THINK_MS), this::ask);
  }

  void stop() {
    stopping = true;
  }

  /** Adds what it has begun and not ended to what its session has open. */
  void addOpen(Map<Long, Set<Integer>> open) {
    if (session != null) {
      Set<Integer> of = open.computeIfAbsent(session.id(), id -> new TreeSet<>());
      if (gxid != 0) {
        of.add(gxid);
      }
    }
  }

  boolean isDone() {
    return asked.isEmpty();
  }

  /** What it has begun nobody counts on any more. */
  void died() {
    if (gxid != 0) {
      simulation.clients.ending(gxid);
    }
  }

  @Override
  public void startupAccepted() {
    throw world.violated("a startup was accepted that nobody sent", null);
  }

  @Override
  public void error(short of, boolean fatal, String message, String hint) {
    world.trace("%s gets an error: %s", this, message);
    simulation.clientError(this, message);
    goOn();
  }

  @Override
  public void reply(ResultType type, short of, Reply reply) {
    world.trace("%s -> %s", this, reply);
    Asked first = asked.element();
    if (reply instanceof TransactionReply.Began began) {
      gxid = began.gxid();
      simulation.clients.began(gxid);
      if (process.isBehind()) {
        died(); // the answer is old
      }
    } else if (reply instanceof TransactionReply.Ended end && end.gxid() == gxid) {
      world.check(end.known(), "%s: the open transaction %d is not known", this, gxid);
      simulation.clients.ended(gateway, gxid);
      gxid = 0;
    } else if (reply instanceof SequenceReply.Value value
        && first.command.equals(new SequenceCommand.NextValue(value.key()))) {
      drew(value);
    } else if (reply instanceof SnapshotReply.Snapshot snapshot) {
      simulation.clients.saw(gateway, snapshot, first.at);
    } else {
      throw world.violated(first.command + " was answered with " + reply, null);
    }
    goOn();
  }

  /** What was asked for later was drawn later. */
  private void drew(SequenceReply.Value value) {
    simulation.clients.drew(value.key(), value.value());
    Long before = drawn.put(value.key(), value.value());
    world.check(before == null || before < value.value(), "%s: %s after %d", this, value, before);
  }

  @Override
  public String toString() {
    return "%s/%d asked %s".formatted(process.host.name, backend, asked);
  }

  /** A command without a reply. */
  private final class Asked implements SimulatedGateway.Target {
    private final Command command;
    private final long at;

    Asked(Command command, long at) {
      this.command = command;
      this.at = at;
    }

    @Override
    public void reply(ByteBuf bytes) {
      world.check(asked.peekFirst() == this, "%s: %s is answered first", SimClient.this, command);
      try {
        new ReplyDecoder(1 << 20, session.isOwn(), SimClient.this).decode(bytes);
      } catch (WireException e) {
        throw world.violated("a reply cannot be read", e);
      }
    }

    @Override
    public void lost(String message) {
      // The session's end says the same.
    }

    @Override
    public String toString() {
      return command.toString();
    }
  }

  private void sessionLost() {
    simulation.sessionLost(this, process.stoodStillLong());
    died();
    session = null;
    gxid = 0;
    asked.clear();
    if (process.isAlive()) {
      start();
    }
  }
}
