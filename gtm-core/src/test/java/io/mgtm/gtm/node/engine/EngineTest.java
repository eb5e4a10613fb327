package io.mgtm.gtm.node.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.gtm.command.BackupCommand;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.xc12.ListReply;
import io.mgtm.gtm.wire.xc12.Startup;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When replies leave, and what is served; the log is under the test's control. */
class EngineTest {
  private final GtmState state = new GtmState(10_000);
  private final LossyLog log = new LossyLog(LossyLog.Fault.NONE);
  private final List<String> sent = new ArrayList<>();
  private long now;
  private final Engine engine =
      new Engine(
          new GtmStateMachine(state),
          log,
          () -> {
            if (now < 0) {
              throw new IllegalStateException("a broken invariant");
            }
            return now++;
          },
          new RequestMetrics(new SimpleMeterRegistry()));

  /** A client that writes down what it is sent. */
  private final class Recorder implements Client {
    private final long session;
    private int heldBytes;
    private int listsBegun;

    Recorder(long session) {
      this.session = session;
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
        sent.add(session + ":" + (char) replies.getByte(replies.readerIndex()));
        replies.skipBytes(bytes);
      }
      if (close) {
        sent.add(session + ":close");
      }
      replies.release();
    }

    @Override
    public void listBegins() {
      listsBegun++;
    }

    @Override
    public void list(ListReply list, Runnable done) {
      ByteBuf whole = newBuffer();
      list.write(whole, Integer.MAX_VALUE);
      send(whole, false);
      done.run();
    }

    @Override
    public void held(int bytes) {
      heldBytes += bytes;
    }
  }

  private static Command begin(long session) {
    return new TransactionCommand.Begin(
        session, Command.NO_BACKEND, Isolation.READ_COMMITTED, false, BeginKind.GXID);
  }

  private static Batch commands(Command... commands) {
    Batch batch = new Batch();
    batch.readBytes = 64 * commands.length;
    for (Command command : commands) {
      batch.command(null, Command.NO_BACKEND, command);
    }
    return batch;
  }

  private Recorder connect(long session) {
    Recorder client = new Recorder(session);
    Batch batch = new Batch();
    batch.startup(new Startup("n", NodeType.DEFAULT, false));
    assertThat(engine.process(client, batch)).isTrue();
    return client;
  }

  private void forceAll() {
    log.force(log.lastIndex());
    engine.committed(log.committedIndex());
  }

  @Test
  void whatNeedsNoForceIsAnsweredAtOnce() {
    Recorder client = connect(1);
    engine.process(client, commands(begin(1)));
    assertThat(sent).containsExactly("1:R", "1:S");
    assertThat(client.heldBytes).isZero();
  }

  @Test
  void repliesWaitForTheForceAndForEveryReplyBeforeThem() {
    Recorder one = connect(1);
    Recorder two = connect(2);
    sent.clear();
    engine.process(one, commands(new BackupCommand.Barrier("b")));
    engine.process(two, commands(begin(2)));
    engine.process(two, commands(new TransactionCommand.GetNextGxid()));
    assertThat(sent).isEmpty();
    assertThat(one.heldBytes).isPositive();
    forceAll();
    assertThat(sent).containsExactly("1:S", "2:S", "2:S");
    assertThat(one.heldBytes).isZero();
    assertThat(two.heldBytes).isZero();
  }

  @Test
  void aForceReleasesOnlyWhatItCovers() {
    Recorder one = connect(1);
    engine.process(one, commands(new BackupCommand.Barrier("a")));
    long first = log.lastIndex();
    engine.process(one, commands(new BackupCommand.Barrier("b")));
    sent.clear();
    log.force(first);
    engine.committed(log.committedIndex());
    assertThat(sent).containsExactly("1:S");
  }

  @Test
  void manyLargeRepliesAreMadeInParts() {
    Recorder client = connect(1);
    for (int i = 0; i < 1_000; i++) {
      engine.process(client, commands(begin(1)));
    }
    sent.clear();
    Command[] lists = new Command[100];
    java.util.Arrays.fill(lists, new TransactionCommand.ListTransactions());
    Batch batch = commands(lists);
    assertThat(engine.process(client, batch)).isTrue();
    int first = sent.size();
    assertThat(first).isBetween(1, 10);
    assertThat(batch.isDone()).isFalse();
    while (!batch.isDone()) {
      assertThat(engine.process(client, batch)).isTrue();
    }
    assertThat(sent).hasSize(100);
    assertThat(client.listsBegun).isEqualTo(100);
  }

  @Test
  void afterAFarewellNothingOfTheBatchIsServed() {
    Recorder client = connect(1);
    sent.clear();
    Batch batch = commands(begin(1));
    batch.terminate();
    batch.command(null, Command.NO_BACKEND, begin(1));
    assertThat(engine.process(client, batch)).isFalse();
    assertThat(batch.isDone()).isTrue();
    assertThat(sent).containsExactly("1:S", "1:close");
    assertThat(state.counts().transactions()).isEqualTo(1);
  }

  @Test
  void withoutRoomQuestionsAreAnsweredAndNothingChanges() {
    Recorder client = connect(1);
    log.full(true);
    sent.clear();
    engine.process(
        client,
        commands(
            begin(1),
            new TransactionCommand.GetNextGxid(),
            new SequenceCommand.ListAll(),
            new SequenceCommand.Init("d.s\0", 1, 1, 5, 1, false)));
    assertThat(sent).containsExactly("1:E", "1:S", "1:S", "1:E");
    assertThat(state.counts().nextGxid()).isEqualTo(10_000);
  }

  @Test
  void sessionsThatDieWithoutRoomAreClosedOnceThereIsSome() {
    Recorder client = connect(1);
    engine.process(client, commands(begin(1)));
    log.full(true);
    engine.closeSession(1);
    // Turned away for want of room: of these nothing is to be closed.
    for (long session = 100; session < 200; session++) {
      Batch batch = new Batch();
      batch.startup(new Startup("n", NodeType.DEFAULT, false));
      assertThat(engine.process(new Recorder(session), batch)).isFalse();
      engine.closeSession(session);
    }
    engine.tick();
    assertThat(state.counts().transactions()).isEqualTo(1);
    assertThat(state.counts().sessions()).isEqualTo(1);
    log.full(false);
    long before = log.lastIndex();
    engine.tick();
    assertThat(state.counts().transactions()).isZero();
    assertThat(state.counts().sessions()).isZero();
    assertThat(log.lastIndex()).isEqualTo(before + 1);
  }

  @Test
  void onceAnInvariantIsBrokenNothingIsServedAnyMore() {
    Recorder client = connect(1);
    engine.process(client, commands(new BackupCommand.Barrier("b")));
    sent.clear();
    now = -1;
    assertThatThrownBy(() -> engine.process(client, commands(begin(1))))
        .hasMessage("a broken invariant");
    now = 1_000;
    long last = log.lastIndex();
    assertThat(engine.process(client, commands(new TransactionCommand.GetNextGxid()))).isFalse();
    engine.closeSession(1);
    engine.tick();
    assertThat(sent).isEmpty();
    assertThat(log.lastIndex()).isEqualTo(last);
  }
}
