package io.mgtm.gtm.server;

import io.mgtm.gtm.command.BackupCommand;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.NodeCommand;
import io.mgtm.gtm.command.NodeCommand.NodeAddress;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginItem;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.state.CheckpointDecoder;
import io.mgtm.gtm.state.CheckpointEncoder;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.state.Limits;
import io.mgtm.gtm.wire.xc12.Startup;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

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
  private static final int GROUP = 4_096;

  private final Random random;
  private final GtmMetrics metrics;
  private final Fault fault;
  private final LossyLog log;
  private final Witness witness = new Witness();
  private final long firstGxid;
  private final boolean large;
  private boolean quiet;

  private final List<SimulatedClient> clients = new ArrayList<>();
  private final List<String> sequences = new ArrayList<>();
  private final List<String> nodes = new ArrayList<>();
  private GtmState state;
  private Engine engine;
  private long sessions;
  private long clock;
  private int names;

  CrashSchedule(long seed, LossyLog.Fault logFault, Fault fault, GtmMetrics metrics) {
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
    engine = new Engine(state, log, () -> clock++, metrics);
    engine.restart(clean);
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
    before.apply(new io.mgtm.gtm.command.SessionCommand.Restart(true));
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
    SimulatedClient client = new SimulatedClient(++sessions);
    Batch batch = new Batch();
    batch.startup(new Startup("c", NodeType.DEFAULT, false));
    client.waiting.add(reply -> {});
    client.open = engine.process(client, batch);
    return client;
  }

  /** A client that does one thing at a time, or a few at once. */
  private final class SimulatedClient implements Client {
    final long session;
    final Deque<Consumer<ByteBuf>> waiting = new ArrayDeque<>();
    private final Deque<Integer> open4Commit = new ArrayDeque<>();
    private final Deque<String> gids = new ArrayDeque<>();
    boolean open;

    SimulatedClient(long session) {
      this.session = session;
    }

    void act() {
      if (!open || !waiting.isEmpty()) {
        return;
      }
      Batch batch = new Batch();
      int commands = 1 + random.nextInt(3);
      for (int i = 0; i < commands; i++) {
        add(batch);
      }
      while (!batch.isDone()) {
        open = engine.process(this, batch);
      }
    }

    private void request(Batch batch, Command command, Consumer<ByteBuf> onReply) {
      batch.readBytes += 64;
      batch.command(null, Command.NO_BACKEND, command);
      waiting.addLast(onReply);
    }

    private void add(Batch batch) {
      if (quiet) {
        draw(batch);
        return;
      }
      switch (random.nextInt(large ? 12 : 11)) {
        case 0, 1 -> begin(batch);
        case 2 -> end(batch);
        case 3 -> snapshot(batch);
        case 4 -> prepare(batch);
        case 5 -> endPrepared(batch);
        case 6 -> sequenceLife(batch);
        case 7, 8 -> draw(batch);
        case 9 -> node(batch);
        case 10 -> barrier(batch);
        default -> group(batch);
      }
    }

    private void begin(Batch batch) {
      BeginKind kind = BeginKind.ofCode(random.nextInt(4) % 3);
      Command begin =
          new TransactionCommand.Begin(
              session, Command.NO_BACKEND, Isolation.READ_COMMITTED, false, kind);
      request(
          batch,
          begin,
          reply -> {
            if (isDone(reply) && kind != BeginKind.HANDLE) {
              int gxid = reply.getIntLE(9);
              witness.nextGxid(gxid);
              open4Commit.addLast(gxid);
            } else if (isDone(reply)) {
              handles.addLast(reply.getIntLE(9));
            }
          });
    }

    private final Deque<Integer> handles = new ArrayDeque<>();

    private void end(Batch batch) {
      Integer gxid = open4Commit.pollFirst();
      if (gxid != null) {
        Outcome outcome = random.nextBoolean() ? Outcome.COMMIT : Outcome.ROLLBACK;
        request(batch, new TransactionCommand.End(TransactionRef.gxid(gxid), outcome), r -> {});
      }
    }

    private void snapshot(Batch batch) {
      Integer gxid = open4Commit.peekLast();
      Integer handle = handles.pollFirst();
      if (handle != null) {
        TransactionRef ref = TransactionRef.handle(handle);
        request(
            batch,
            new SnapshotCommand.AssignGxidAndGetSnapshot(ref),
            reply -> {
              if (isDone(reply)) {
                witness.nextGxid(reply.getIntLE(13));
              }
            });
      } else if (gxid != null) {
        request(batch, new SnapshotCommand.GetSnapshot(TransactionRef.gxid(gxid)), r -> {});
      }
    }

    private void prepare(Batch batch) {
      Integer gxid = open4Commit.pollFirst();
      if (gxid == null) {
        return;
      }
      TransactionRef ref = TransactionRef.gxid(gxid);
      String gid = "gid" + names++;
      witness.askGid(gid, Witness.STARTED);
      request(
          batch,
          new TransactionCommand.StartPrepare(ref, gid, "dn"),
          reply -> {
            boolean done = isDone(reply);
            witness.answerGid(gid, done);
            if (done) {
              witness.askGid(gid, Witness.PREPARED);
              followUp.addLast(
                  b ->
                      request(
                          b,
                          new TransactionCommand.Prepare(ref),
                          prepared -> {
                            witness.answerGid(gid, isDone(prepared));
                            gids.addLast(gid + " " + gxid);
                          }));
            }
          });
    }

    /** What is to be asked once an answer has come. */
    private final Deque<Consumer<Batch>> followUp = new ArrayDeque<>();

    private void endPrepared(Batch batch) {
      Consumer<Batch> next = followUp.pollFirst();
      if (next != null) {
        next.accept(batch);
        return;
      }
      String prepared = gids.pollFirst();
      if (prepared == null) {
        return;
      }
      String gid = prepared.substring(0, prepared.indexOf(' '));
      int gxid = Integer.parseInt(prepared.substring(gid.length() + 1));
      witness.askGidEnd(gid);
      request(
          batch,
          new TransactionCommand.CommitPrepared(TransactionRef.gxid(gxid), TransactionRef.gxid(0)),
          reply -> {
            boolean done = isDone(reply);
            witness.answerGid(gid, done);
          });
    }

    private void sequenceLife(Batch batch) {
      if (sequences.size() > 3 && random.nextInt(3) == 0) {
        String key = sequences.remove(random.nextInt(sequences.size()));
        witness.askSequenceEnd(key);
        request(
            batch,
            new SequenceCommand.Close(key),
            reply -> witness.answerSequence(key, isDone(reply)));
      } else if (sequences.size() < 4) {
        String key = "d.s" + names++ + "\0";
        long increment = random.nextBoolean() ? 1 + random.nextInt(3) : -1 - random.nextInt(3);
        long span = random.nextBoolean() ? 100 : 1_000_000;
        witness.askSequence(key);
        request(
            batch,
            new SequenceCommand.Init(
                key, increment, -span, span, increment > 0 ? -span : span, false),
            reply -> {
              witness.answerSequence(key, isDone(reply));
              if (isDone(reply)) {
                sequences.add(key);
              }
            });
      }
    }

    private void draw(Batch batch) {
      if (sequences.isEmpty()) {
        return;
      }
      String key = sequences.get(random.nextInt(sequences.size()));
      int draws = random.nextInt(quiet ? 40 : 12);
      for (int i = 0; i < draws; i++) {
        request(
            batch,
            new SequenceCommand.NextValue(key),
            reply -> {
              if (isDone(reply)) {
                witness.value(key, reply.getLongLE(9 + 4 + key.length()));
              }
            });
      }
    }

    private void node(Batch batch) {
      if (!nodes.isEmpty() && random.nextBoolean()) {
        String name = nodes.remove(0);
        witness.askNodeEnd(name);
        request(
            batch,
            new NodeCommand.Unregister(NodeType.DATANODE, name),
            reply -> witness.answerNode(name, isDone(reply)));
      } else {
        String name = "n" + names++;
        witness.askNode(name);
        request(
            batch,
            new NodeCommand.Register(
                session, new NodeAddress(NodeType.DATANODE, name, "", "h", 1, "/d")),
            reply -> {
              witness.answerNode(name, isDone(reply));
              if (isDone(reply)) {
                nodes.add(name);
              }
            });
      }
    }

    private void barrier(Batch batch) {
      String id = "b" + names++;
      request(
          batch,
          new BackupCommand.Barrier(id),
          reply -> {
            if (isDone(reply)) {
              witness.barrier(id);
            }
          });
    }

    /** Many gxids at once, so that their reservation is raised. */
    private void group(Batch batch) {
      BeginItem item = new BeginItem((short) 1, Isolation.READ_COMMITTED, false);
      Command begin =
          new TransactionCommand.BeginMany(session, java.util.Collections.nCopies(GROUP, item));
      batch.readBytes += 7 * GROUP;
      request(
          batch,
          begin,
          reply -> {
            if (isDone(reply)) {
              int gxid = reply.getIntLE(13);
              List<TransactionRef> refs = new ArrayList<>();
              while (refs.size() < GROUP) {
                witness.nextGxid(gxid);
                refs.add(TransactionRef.gxid(gxid));
                gxid = gxid == -1 ? 3 : gxid + 1;
              }
              followUp.addFirst(
                  b -> {
                    b.readBytes += 5 * GROUP;
                    request(b, new TransactionCommand.EndMany(refs, Outcome.COMMIT), r -> {});
                  });
            }
          });
    }

    private static boolean isDone(ByteBuf reply) {
      return reply.getByte(0) == 'S';
    }

    @Override
    public long session() {
      return session;
    }

    @Override
    public boolean proxied() {
      return false;
    }

    @Override
    public ByteBuf newBuffer() {
      return Unpooled.buffer();
    }

    @Override
    public void send(ByteBuf replies, boolean close) {
      while (replies.isReadable()) {
        int bytes = 1 + replies.getInt(replies.readerIndex() + 1);
        waiting.removeFirst().accept(replies.readSlice(bytes).slice());
      }
      open &= !close;
      replies.release();
    }

    @Override
    public void held(int bytes) {}
  }
}
