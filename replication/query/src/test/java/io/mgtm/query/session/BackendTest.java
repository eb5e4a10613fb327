package io.mgtm.query.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.query.connection.Answer;
import io.mgtm.query.connection.ServerConnection;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Messages;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who waits for a server's answers is told of each. */
class BackendTest {
  private static final HostPort ADDRESS = new HostPort("127.0.0.1", 1);

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final List<String> done = new ArrayList<>();
  private final Backend backend =
      new Backend(
          new Node(ADDRESS),
          new ServerConnection(ADDRESS, channel, 1, 2, List.of()),
          new Backend.Owner() {
            @Override
            public void unasked(Backend from, Frame frame) {
              frame.release();
            }

            @Override
            public void broken(Backend at) {
              done.add("broken");
            }

            @Override
            public void readComplete() {
              // Nothing is passed on.
            }

            @Override
            public void writabilityChanged() {
              // It takes all.
            }
          });

  BackendTest() {
    channel.pipeline().addLast(backend);
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  private void ask(String sql) {
    backend.ask(
        sql, Answer.of((tag, error, status) -> done.add(sql), () -> done.add(sql + " lost")));
  }

  private void answer() {
    channel.writeInbound(new Frame((byte) 'Z', 1, Messages.readyForQuery(channel.alloc(), 'I')));
  }

  @Test
  void whoWaitsIsToldOnceAndMayWaitAgain() {
    ask("begin");
    ask("select");
    backend.whenAnswered(
        () -> {
          done.add("first");
          backend.whenAnswered(() -> done.add("second"));
        });
    assertThat(done).isEmpty();
    answer();
    assertThat(done).containsExactly("begin", "first");
    answer();
    assertThat(done).containsExactly("begin", "first", "select", "second");
  }

  private final AtomicBoolean undone = new AtomicBoolean();
  private Promise<Void> cancelled;

  private void askForWhatIsUndone(String sql) {
    Answer told = Answer.of((tag, error, status) -> done.add(sql), () -> done.add(sql + " lost"));
    backend.ask(
        sql,
        new Answer() {
          @Override
          public void take(Frame frame) {
            told.take(frame);
          }

          @Override
          public void ready(char status) {
            told.ready(status);
          }

          @Override
          public void lost() {
            told.lost();
          }

          @Override
          public boolean isUndone() {
            return undone.get();
          }
        });
  }

  private void hold() {
    backend.holdWhileUndone(
        () -> {
          done.add("cancel");
          cancelled = channel.eventLoop().newPromise();
          return cancelled;
        });
  }

  private void pass(int ms) {
    channel.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
  }

  private int sent() {
    int sent = channel.outboundMessages().size();
    channel.releaseOutbound();
    return sent;
  }

  @Test
  void nothingIsHeldWhereNothingIsUndone() {
    askForWhatIsUndone("update");
    hold();
    ask("commit");
    assertThat(sent()).isEqualTo(2);
  }

  @Test
  void whatIsUndoneIsCancelledBeforeAnythingElseIsSent() {
    ask("begin");
    askForWhatIsUndone("update");
    undone.set(true);
    hold();
    assertThat(sent()).isEqualTo(2);
    ask("rollback");
    pass(25);
    assertThat(done).as("it is at what nobody has undone").isEmpty();
    answer();
    pass(45);
    assertThat(done).containsExactly("begin", "cancel");
    pass(90);
    answer();
    assertThat(done).containsExactly("begin", "cancel", "update");
    assertThat(sent()).as("the request to cancel is under way").isZero();
    cancelled.setSuccess(null);
    assertThat(sent()).isOne();
    ask("begin again");
    assertThat(sent()).isOne();
    pass(5_000);
    answer();
    answer();
    assertThat(done).containsExactly("begin", "cancel", "update", "rollback", "begin again");
  }

  @Test
  void whatIsHeldIsLostWithTheServer() {
    askForWhatIsUndone("update");
    undone.set(true);
    hold();
    ask("rollback");
    backend.fail();
    pass(5_000);
    assertThat(done).containsExactly("update lost", "rollback lost");
    assertThat(backend.node().running()).isZero();
  }

  @Test
  void whoWaitsIsToldThatNoneComes() {
    ask("begin");
    backend.whenAnswered(() -> done.add("first"));
    backend.fail();
    assertThat(done).containsExactly("begin lost", "first");
  }

  @Test
  void whoWaitsIsToldOfItsEnd() {
    ask("begin");
    backend.whenAnswered(() -> done.add("first"));
    backend.close();
    assertThat(done).containsExactly("first");
  }
}
