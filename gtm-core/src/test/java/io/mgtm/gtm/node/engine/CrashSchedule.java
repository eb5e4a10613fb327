package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.BackupCommand;
import io.mgtm.gtm.command.NodeCommand;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.node.Witness;
import io.mgtm.gtm.state.CheckpointDecoder;
import io.mgtm.gtm.state.CheckpointEncoder;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.state.Limits;
import io.mgtm.gtm.wire.xc12.Startup;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One seeded life of a GTM: clients at work, forces and checkpoints at random moments, crashes that
 * keep everything (the process dies) or lose what was not forced (the power fails), and a restart
 * after each. A {@link Witness} sees every reply.
 */
final class CrashSchedule {
  /** What the GTM does wrong, apart from the log. */
  enum Fault {
    NONE,
    /** After a power cut it goes on as after a clean stop. */
    SKIPS_NOTHING,
    /** What is stored of a reservation does not reach ahead of what was used. */
    RESERVES_NOTHING
  }

  private static final Limits LIMITS = new Limits(12_000, 6, 50, 50, 1_000_000, 11_000_000);
  private static final int CLIENTS = 4;

  final Random random;
  private final RequestMetrics metrics;
  private final Fault fault;
  private final LossyLog log;
  final Witness witness = new Witness();
  private final long firstGxid;
  final boolean large;
  boolean quiet;

  private final List<SimulatedClient> clients = new ArrayList<>();
  final List<String> sequences = new ArrayList<>();
  final List<String> nodes = new ArrayList<>();
  private GtmState state;
  Engine engine;
  private long sessions;
  private long clock;
  int names;

  CrashSchedule(long seed, LossyLog.Fault logFault, Fault fault, RequestMetrics metrics) {
    this.random = new Random(seed);
    this.metrics = metrics;
    this.fault = fault;
    this.log = new LossyLog(logFault);
    this.firstGxid = seed % 3 == 0 ? 0xffff_fff0L : 10_000;
    this.large = seed % 200 == 0;
  }

  /** Lives; throws when a promise was broken. */
  void run() {
    recover(true);
    for (int life = 0; life < 5; life++) {
      int steps = 20 + random.nextInt(large ? 40 : 100);
      for (int i = 0; i < steps; i++) {
        step();
      }
      quietSteps();
      crash();
    }
  }

  /** A while without a force, and with requests only that need none to be answered. */
  private void quietSteps() {
    log.full(false);
    log.force(log.lastIndex());
    engine.committed(log.committedIndex());
    quiet = true;
    for (int i = random.nextInt(20); i > 0; i--) {
      clients.get(random.nextInt(CLIENTS)).act();
    }
    quiet = false;
  }

  private void step() {
    int dice = random.nextInt(100);
    if (dice < 12) {
      log.force(log.lastIndex() - random.nextInt((int) Math.min(3, log.lastIndex())));
      engine.committed(log.committedIndex());
    } else if (dice < 14) {
      log.checkpoint(CheckpointEncoder.encode(state));
      engine.committed(log.committedIndex());
    } else if (dice < 16) {
      log.full(random.nextInt(3) == 0);
    } else if (dice < 18) {
      int at = random.nextInt(CLIENTS);
      engine.closeSession(clients.get(at).session);
      clients.set(at, connect());
    } else if (dice < 20) {
      engine.tick();
    } else {
      clients.get(random.nextInt(CLIENTS)).act();
    }
  }

  private void crash() {
    boolean clean = random.nextInt(5) == 0;
    boolean powerCut = !clean && random.nextBoolean();
    if (clean) {
      log.close();
      engine.committed(log.committedIndex());
    } else if (powerCut) {
      log.cutPower(random);
    }
    GtmState before = state;
    engine.abandon();
    recover(clean || fault == Fault.SKIPS_NOTHING);
    witness.check(state);
    if (!powerCut) {
      sameAs(before);
    }
  }

  private GtmState recovered() {
    GtmStateMachine machine = new GtmStateMachine(new GtmState(firstGxid));
    log.recover(machine);
    return machine.state();
  }

  private void recover(boolean clean) {
    state = recovered();
    if (fault == Fault.RESERVES_NOTHING) {
      state = withoutReservation(state);
    }
    state.setLimits(LIMITS);
    engine = new Engine(new GtmStateMachine(state), log, () -> clock++, metrics);
    if (!clean) {
      engine.initialize(List.of(new SessionCommand.Restart(false))); // as the log's term start
    }
    engine.restart();
    clients.clear();
    while (clients.size() < CLIENTS) {
      clients.add(connect());
    }
  }

  /** Takes the marks of the gxids' reservation back to what was used. */
  private static GtmState withoutReservation(GtmState state) {
    ByteBuffer bytes = ByteBuffer.wrap(CheckpointEncoder.encode(state));
    int used = Short.BYTES + 2 * Long.BYTES;
    bytes.putLong(used + Long.BYTES, bytes.getLong(used));
    bytes.putLong(used + 2 * Long.BYTES, bytes.getLong(used));
    return CheckpointDecoder.decode(bytes);
  }

  /** Nothing was lost, so a replay must give what the clients saw, session by session. */
  private void sameAs(GtmState before) {
    before.beginEntry(clock);
    before.apply(new SessionCommand.Restart(true));
    String was = picture(before);
    String is = picture(state);
    if (!was.equals(is)) {
      throw new Witness.BrokenPromise("a replay gave\n" + is + "\ninstead of\n" + was);
    }
  }

  private static String picture(GtmState of) {
    var list =
        (TransactionReply.TransactionList) of.apply(new TransactionCommand.ListTransactions());
    return list.transactions()
        + "\n"
        + list.lastHandle()
        + "\n"
        + of.apply(new NodeCommand.ListAll())
        + "\n"
        + of.apply(new BackupCommand.ListBarriers());
  }

  private SimulatedClient connect() {
    SimulatedClient client = new SimulatedClient(this, ++sessions);
    Batch batch = new Batch();
    batch.startup(new Startup("c", NodeType.DEFAULT, false));
    client.waiting.add(reply -> {});
    client.open = engine.process(client, batch);
    return client;
  }
}
