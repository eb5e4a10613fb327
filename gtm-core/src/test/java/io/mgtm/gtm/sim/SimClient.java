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
import io.mgtm.gtm.front.SimulatedGateway;
import io.mgtm.gtm.server.SimulatedNode;
import io.mgtm.gtm.wire.ResultType;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.ReplyDecoder;
import io.mgtm.gtm.wire.xc12.ReplyHandler;
import io.netty.buffer.ByteBuf;

/**
 * A client of a gateway with one command at a time: it begins transactions, takes snapshots, draws
 * values of sequences, and ends.
 */
final class SimClient implements ReplyHandler, SimulatedGateway.Target {
  private static final long THINK_MS = 20;

  private final Simulation simulation;
  private final World world;
  private final SimProcess process;
  private final SimulatedGateway gateway;
  private final short backend;
  private final boolean own;
  private SimulatedGateway.Session session;
  private int gxid;
  private Command asked;
  private long askedAt;
  private boolean stopping;

  SimClient(Simulation simulation, SimProcess process, SimulatedGateway gateway, short backend) {
    this.simulation = simulation;
    this.world = simulation.world;
    this.process = process;
    this.gateway = gateway;
    this.backend = backend;
    this.own = world.oneIn(4);
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
    if (stopping || asked != null) {
      return;
    }
    asked = next();
    askedAt = world.now();
    session.submit(backend, asked, this);
  }

  private Command next() {
    if (gxid == 0) {
      return new TransactionCommand.Begin(
          session.id(), backend, Isolation.READ_COMMITTED, false, BeginKind.GXID);
    }
    // Where most only read, a leader that is cut off may have nothing but reads to answer.
    int what = world.random.nextInt(simulation.mostlyReads ? 40 : 5);
    switch (what) {
      case 0, 1 -> {
        simulation.clients.ending(gxid);
        return new TransactionCommand.End(TransactionRef.gxid(gxid), Outcome.COMMIT);
      }
      case 2 -> {
        return new SequenceCommand.NextValue("s" + world.random.nextInt(Simulation.SEQUENCES));
      }
      default -> {
        return new SnapshotCommand.GetSnapshot(TransactionRef.gxid(gxid));
      }
    }
  }

  private void goOn() {
    asked = null;
    process.after(world.random.nextLong(THINK_MS), this::ask);
  }

  void stop() {
    stopping = true;
  }

  /** What it has begun and not ended is open. */
  void checkOpen(SimulatedNode leader) {
    world.check(
        gxid == 0 || leader.openOf(session.id()).contains(gxid),
        "%s has %d open, and the group does not",
        this,
        gxid);
  }

  boolean isDone() {
    return asked == null;
  }

  /** What it has begun nobody counts on any more. */
  void died() {
    if (gxid != 0) {
      simulation.clients.ending(gxid);
    }
  }

  @Override
  public void reply(ByteBuf bytes) {
    try {
      new ReplyDecoder(1 << 20, session.isOwn(), this).decode(bytes);
    } catch (WireException e) {
      throw world.violated("a reply cannot be read", e);
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
    if (asked instanceof TransactionCommand.End) {
      gxid = 0;
    }
    goOn();
  }

  @Override
  public void reply(ResultType type, short of, Reply reply) {
    world.trace("%s: %s -> %s", this, asked, reply);
    if (reply instanceof TransactionReply.Began began) {
      gxid = began.gxid();
      simulation.clients.began(gxid);
    } else if (reply instanceof TransactionReply.Ended end) {
      world.check(end.known(), "%s: the open transaction %d is not known", this, gxid);
      simulation.clients.ended(gateway, gxid);
      gxid = 0;
    } else if (reply instanceof SequenceReply.Value value) {
      simulation.clients.drew(value.key(), value.value());
    } else if (reply instanceof SnapshotReply.Snapshot snapshot) {
      simulation.clients.saw(gateway, snapshot, askedAt);
    } else {
      throw world.violated(asked + " was answered with " + reply, null);
    }
    goOn();
  }

  @Override
  public void lost(String message) {
    // The session's end says the same.
  }

  private void sessionLost() {
    simulation.sessionLost(this);
    died();
    gxid = 0;
    asked = null;
    if (process.isAlive()) {
      start();
    }
  }

  @Override
  public String toString() {
    return "%s/%d asked %s".formatted(process.host.name, backend, asked);
  }
}
