package io.mgtm.query.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Messages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What waits for the next request, and when it leaves. */
class BackendTest {
  private static final HostPort SERVER = new HostPort("127.0.0.1", 1);

  private final Node node = new Node(SERVER);
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Backend backend =
      new Backend(node, new ServerConnection(SERVER, channel, 1, 2, List.of()), new Nobody());
  private int answered;
  private int lost;

  BackendTest() {
    channel.pipeline().addLast(backend);
  }

  private Answer counted() {
    return Answer.of((tag, error, status) -> answered++, () -> lost++);
  }

  private void askLater(String sql) {
    backend.askLater(sql, StandardCharsets.UTF_8, counted());
  }

  private int sent() {
    int count = 0;
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      out.release();
      count++;
    }
    return count;
  }

  private void ready() {
    ByteBuf message = Messages.readyForQuery(channel.alloc(), 'T');
    channel.writeInbound(new Frame((byte) 'Z', 1, message));
  }

  @Test
  void whatWaitsLeavesWithTheNextRequestAndIsAnsweredInOrder() {
    askLater("one");
    askLater("two");
    assertThat(sent()).isZero();
    assertThat(node.running()).isZero();

    backend.ask("three", counted());
    assertThat(sent()).isEqualTo(3);
    assertThat(node.running()).isEqualTo(3);

    for (int i = 1; i <= 3; i++) {
      ready();
      assertThat(answered).isEqualTo(i);
    }
    assertThat(node.running()).isZero();
  }

  @Test
  void whereMuchWaitsItLeavesAtOnce() {
    String large = "x".repeat(3_000);
    askLater(large);
    askLater(large);
    assertThat(sent()).isZero();
    askLater(large);
    assertThat(sent()).isEqualTo(3);
    askLater(large);
    assertThat(sent()).isZero();
    backend.sendWaiting();
    assertThat(sent()).isEqualTo(1);
    assertThat(node.running()).isEqualTo(4);
  }

  @Test
  void whatWaitsIsLostWithTheServerAndWasNeverAtWork() {
    backend.ask("one", counted());
    askLater("two");
    assertThat(node.running()).isEqualTo(1);
    backend.fail();
    assertThat(lost).isEqualTo(2);
    assertThat(node.running()).isZero();
    backend.askLater(Unpooled.buffer(), counted());
    assertThat(lost).isEqualTo(3);
    assertThat(node.running()).isZero();
  }

  @Test
  void whoWaitsForAnswersIsToldOfThoseTillThen() {
    assertThat(backend.whenAnswered()).isDone();
    askLater("one");
    askLater("two");
    CompletableFuture<Void> both = backend.whenAnswered();
    assertThat(sent()).isEqualTo(2);
    askLater("three");
    ready();
    assertThat(both).isNotDone();
    ready();
    assertThat(both).isDone();
    assertThat(answered).isEqualTo(2);

    CompletableFuture<Void> third = backend.whenAnswered();
    assertThat(third).isNotDone();
    backend.fail();
    assertThat(third).isDone();
    assertThat(lost).isEqualTo(1);
  }

  @Test
  void whatWaitsLeavesBeforeTheFarewell() {
    backend.ask("zero", counted());
    CompletableFuture<Void> zero = backend.whenAnswered();
    sent();
    askLater("one");
    backend.close();
    assertThat(zero).isDone();
    assertThat(sent()).isEqualTo(2);
    assertThat(node.running()).isZero();
  }

  /** A session that nothing happens to. */
  private static final class Nobody implements Backend.Owner {
    @Override
    public void unasked(Backend backend, Frame frame) {
      frame.release();
    }

    @Override
    public void broken(Backend backend) {}

    @Override
    public void readComplete() {}

    @Override
    public void writabilityChanged() {}
  }
}
