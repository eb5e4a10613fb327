package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.BackupCommand;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.state.CheckpointDecoder;
import io.mgtm.gtm.state.CheckpointEncoder;
import io.mgtm.gtm.state.GtmState;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A picture is the state of its moment, whatever is applied while it is written. */
class PictureTest {
  private static final int STEPS = 3_000;
  private static final int PICTURES = 3;

  /** A picture that is being written, and what a copy made at its moment was. */
  private record Taken(GtmState picture, ByteBuffer copy) {}

  private SplittableRandom random;
  private GtmState state;
  private long numbers;

  static IntStream seeds() {
    return IntStream.rangeClosed(1, Integer.getInteger("seeds", 12));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void changesWhileItIsWrittenDoNotShow(int seed) {
    random = new SplittableRandom(seed);
    state = new GtmState(10_000);
    Deque<Taken> taken = new ArrayDeque<>();
    for (int step = 0; step < STEPS; step++) {
      state.beginEntry(step);
      for (int i = random.nextInt(4); i >= 0; i--) {
        state.apply(command());
      }
      state.entryDone();
      if (random.nextInt(40) == 0) {
        byte[] copy = CheckpointEncoder.encode(state);
        taken.add(new Taken(state.picture(), ByteBuffer.wrap(copy)));
      }
      if (taken.size() > PICTURES) {
        compare(taken.poll(), seed, step);
      }
    }
    taken.forEach(left -> compare(left, seed, STEPS));
    assertThat(state.counts().sequences()).isPositive();
  }

  private static void compare(Taken taken, int seed, int step) {
    byte[] written = CheckpointEncoder.encode(taken.picture());
    boolean same = ByteBuffer.wrap(written).equals(taken.copy());
    assertThat(same).as("seed %d, step %d", seed, step).isTrue();
    GtmState decoded = CheckpointDecoder.decode(ByteBuffer.wrap(written));
    for (Command list :
        List.of(
            new TransactionCommand.ListTransactions(),
            new TransactionCommand.ListPrepared(),
            new TransactionCommand.GetNextGxid(),
            new SequenceCommand.ListAll())) {
      assertThat(taken.picture().apply(list)).isEqualTo(decoded.apply(list));
    }
  }

  /** What is applied after a picture gives the same replies and state as without one. */
  @ParameterizedTest
  @MethodSource("seeds")
  void takingPicturesChangesNothing(int seed) {
    byte[][] ends = new byte[2][];
    for (int round = 0; round < 2; round++) {
      random = new SplittableRandom(seed);
      state = new GtmState(10_000);
      numbers = 0;
      long replies = 0;
      for (int step = 0; step < STEPS; step++) {
        state.beginEntry(step);
        Reply reply = state.apply(command());
        replies = 31 * replies + (reply + " " + state.effect()).hashCode();
        if (round == 1 && step % 7 == 0) {
          state.picture();
        }
      }
      byte[] end = CheckpointEncoder.encode(state);
      ends[round] = Arrays.copyOf(end, end.length + Long.BYTES);
      ByteBuffer.wrap(ends[round]).putLong(end.length, replies);
    }
    assertThat(ends[1]).isEqualTo(ends[0]);
  }

  @Test
  void anotherThreadWritesItMeanwhile() {
    random = new SplittableRandom(1);
    state = new GtmState(10_000);
    for (int round = 0; round < 10; round++) {
      apply(500);
      byte[] copy = CheckpointEncoder.encode(state);
      GtmState picture = state.picture();
      CompletableFuture<byte[]> written =
          CompletableFuture.supplyAsync(() -> CheckpointEncoder.encode(picture));
      apply(500);
      assertThat(written.join()).isEqualTo(copy);
    }
  }

  private void apply(int steps) {
    for (int i = 0; i < steps; i++) {
      state.beginEntry(i);
      state.apply(command());
    }
  }

  private String key() {
    return (random.nextInt(3) == 0 ? "d.s" : "e.s") + random.nextInt(60) + "\0";
  }

  private TransactionRef ref() {
    long next = state.counts().nextGxid();
    return TransactionRef.gxid((int) (next - 1 - random.nextInt(40)));
  }

  private Command command() {
    int kind = random.nextInt(100);
    long session = random.nextInt(4);
    if (kind < 30) {
      BeginKind[] kinds = {BeginKind.GXID, BeginKind.HANDLE, BeginKind.AUTOVACUUM};
      return new TransactionCommand.Begin(
          session, (short) 1, Isolation.READ_COMMITTED, false, kinds[random.nextInt(3)]);
    } else if (kind < 40) {
      return new TransactionCommand.End(ref(), Outcome.COMMIT);
    } else if (kind < 48) {
      return new SnapshotCommand.GetSnapshot(ref());
    } else if (kind < 52) {
      return new TransactionCommand.AssignGxid(TransactionRef.handle(random.nextInt(1 << 12)));
    } else if (kind < 55) {
      return new TransactionCommand.StartPrepare(ref(), "gid" + random.nextInt(9), "n1");
    } else if (kind < 57) {
      return new TransactionCommand.Prepare(ref());
    }
    return kind < 90 ? sequence(kind) : rare(kind, session);
  }

  private Command sequence(int kind) {
    if (kind < 75) {
      return new SequenceCommand.NextValue(key());
    } else if (kind < 83) {
      return new SequenceCommand.Init(key(), 1, 1, 1_000_000, 1, random.nextBoolean());
    } else if (kind < 85) {
      return new SequenceCommand.Rename(key(), key());
    } else if (kind < 87) {
      return new SequenceCommand.Close(key());
    } else if (kind < 88) {
      return new SequenceCommand.Reset(key());
    }
    return new SequenceCommand.SetValue(key(), random.nextInt(1_000), random.nextBoolean());
  }

  private Command rare(int kind, long session) {
    long gateway = 1L << 62;
    if (kind < 95) {
      state.apply(new SessionCommand.OpenGateway(gateway, "p", GatewayKind.PROXY, false));
      numbers++;
      return new SessionCommand.Numbered(
          gateway, numbers, numbers - random.nextInt(9), new SequenceCommand.NextValue(key()));
    } else if (kind == 95) {
      return new SessionCommand.OpenSession(session, "n", NodeType.DATANODE, false);
    } else if (kind == 96) {
      return new SessionCommand.CloseSession(session);
    } else if (kind == 97) {
      return new BackupCommand.Barrier("b" + random.nextInt(100));
    } else if (kind == 98) {
      return new SessionCommand.AnnounceMember("g" + random.nextInt(3), "h:" + random.nextInt(9));
    }
    return random.nextInt(10) == 0
        ? new SessionCommand.Restart(random.nextBoolean())
        : random.nextInt(10) == 0
            ? new SequenceCommand.CloseDatabase("d\0")
            : new SessionCommand.ServeTerm(random.nextInt(9), "g1");
  }
}
