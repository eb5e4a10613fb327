package io.mgtm.gtm.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.SnapshotReply;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.command.TransactionReply;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The state against a model that computes every snapshot from the whole list of transactions, as
 * gtm_snap.c does, with 64-bit gxids, across the end of 32 bits, and through checkpoints at any
 * time.
 */
class StateModelTest {
  private static final int STEPS = 4_000;
  private static final int SESSIONS = 5;

  /** A transaction as the model knows it. */
  private static final class ModelTransaction {
    long session;
    int handle;
    long gxid;
    long xmin;
    boolean vacuum;
    boolean prepared;
  }

  private final List<ModelTransaction> open = new ArrayList<>();
  private GtmState state;
  private Random random;
  private long next;
  private long latestCompleted;
  private int gids;

  static IntStream seeds() {
    return IntStream.rangeClosed(1, Integer.getInteger("seeds", 40));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void snapshotsAgreeWithTheModel(int seed) {
    random = new Random(seed);
    next = 0xffff_ffffL - random.nextInt(STEPS);
    state = new GtmState(next);
    latestCompleted = next - 1;
    for (int i = 0; i < STEPS; i++) {
      step();
      if (random.nextInt(200) == 0) {
        state = CheckpointDecoder.decode(ByteBuffer.wrap(CheckpointEncoder.encode(state)));
      }
    }
    assertThat(state.counts().transactions()).isEqualTo(open.size());
  }

  private void step() {
    int dice = random.nextInt(100);
    if (open.isEmpty() || dice < 30) {
      begin();
    } else if (dice < 60) {
      snapshot();
    } else if (dice < 85) {
      end(open.get(random.nextInt(open.size())));
    } else if (dice < 90) {
      prepare();
    } else if (dice < 95) {
      assign();
    } else if (dice < 97) {
      closeSession(random.nextInt(SESSIONS));
    } else {
      snapshotMany();
    }
  }

  private Reply apply(Command command) {
    state.beginEntry(0);
    return state.apply(command);
  }

  private void begin() {
    BeginKind kind = random.nextInt(10) < 8 ? BeginKind.GXID : BeginKind.ofCode(random.nextInt(3));
    ModelTransaction t = new ModelTransaction();
    t.session = random.nextInt(SESSIONS);
    t.vacuum = kind == BeginKind.AUTOVACUUM;
    TransactionReply.Began reply =
        (TransactionReply.Began)
            apply(
                new TransactionCommand.Begin(
                    t.session, Command.NO_BACKEND, Isolation.READ_COMMITTED, false, kind));
    t.handle = reply.handle();
    if (kind != BeginKind.HANDLE) {
      t.gxid = take();
      assertThat(reply.gxid()).isEqualTo((int) t.gxid);
    }
    open.add(t);
  }

  private long take() {
    long gxid = next;
    next = gxid + 1;
    if ((int) next == 0) {
      next += 3;
    }
    return gxid;
  }

  private static TransactionRef ref(ModelTransaction t) {
    return t.gxid == 0 ? TransactionRef.handle(t.handle) : TransactionRef.gxid((int) t.gxid);
  }

  private void assign() {
    open.stream()
        .filter(t -> t.gxid == 0)
        .findAny()
        .ifPresent(
            t -> {
              TransactionReply.GxidAssigned reply =
                  (TransactionReply.GxidAssigned) apply(new TransactionCommand.AssignGxid(ref(t)));
              t.gxid = take();
              assertThat(reply.gxid()).isEqualTo((int) t.gxid);
            });
  }

  private void end(ModelTransaction t) {
    TransactionReply.Ended reply =
        (TransactionReply.Ended)
            apply(
                new TransactionCommand.End(
                    ref(t), random.nextBoolean() ? Outcome.COMMIT : Outcome.ROLLBACK));
    assertThat(reply.known()).isTrue();
    ended(t);
    open.remove(t);
  }

  private void ended(ModelTransaction t) {
    latestCompleted = Math.max(latestCompleted, t.gxid);
  }

  private void prepare() {
    ModelTransaction t = open.get(random.nextInt(open.size()));
    if (!t.prepared && t.gxid != 0) {
      t.prepared = true;
      apply(new TransactionCommand.StartPrepare(ref(t), "gid" + gids++, "d1,d2"));
      apply(new TransactionCommand.Prepare(ref(t)));
    }
  }

  private void closeSession(long session) {
    apply(new SessionCommand.CloseSession(session));
    for (ModelTransaction t : open) {
      if (t.session == session && !t.prepared) {
        ended(t);
      }
    }
    open.removeIf(t -> t.session == session && !t.prepared);
  }

  private void snapshot() {
    ModelTransaction t = open.get(random.nextInt(open.size()));
    check(apply(new SnapshotCommand.GetSnapshot(ref(t))), List.of(t));
  }

  private void snapshotMany() {
    List<ModelTransaction> some = open.subList(0, 1 + random.nextInt(open.size()));
    check(
        apply(new SnapshotCommand.GetSnapshotMany(some.stream().map(StateModelTest::ref).toList())),
        List.copyOf(some));
  }

  private void check(Reply reply, List<ModelTransaction> holders) {
    SnapshotReply.Snapshot snapshot = (SnapshotReply.Snapshot) reply;
    long xmax = latestCompleted + 1;
    if ((int) xmax == 0) {
      xmax += 3;
    }
    long xmin = xmax;
    long globalXmin = xmax;
    List<Integer> running = new ArrayList<>();
    List<ModelTransaction> byGxid = new ArrayList<>(open);
    byGxid.sort(java.util.Comparator.comparingLong(t -> t.gxid));
    for (ModelTransaction t : byGxid) {
      if (t.vacuum) {
        continue;
      }
      if (t.xmin != 0) {
        globalXmin = Math.min(globalXmin, t.xmin);
      }
      if (t.gxid != 0 && t.gxid < xmax) {
        xmin = Math.min(xmin, t.gxid);
        running.add((int) t.gxid);
      }
    }
    globalXmin = Math.min(globalXmin, xmin);
    assertThat(snapshot.xmin()).isEqualTo((int) xmin);
    assertThat(snapshot.xmax()).isEqualTo((int) xmax);
    assertThat(snapshot.recentGlobalXmin()).isEqualTo((int) globalXmin);
    assertThat(IntStream.of(snapshot.running().copy()).boxed().toList()).isEqualTo(running);
    for (ModelTransaction t : holders) {
      if (t.xmin == 0) {
        t.xmin = xmin;
      }
    }
  }
}
