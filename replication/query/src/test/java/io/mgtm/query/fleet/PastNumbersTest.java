package io.mgtm.query.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.order.Part;
import io.mgtm.query.order.Position;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether what a server has is of a log, of which other entries may have got its numbers. */
class PastNumbersTest {
  private static final int SLOT = 3;

  @TempDir private Path folder;
  private final EventLoop loop = new DefaultEventLoop();

  private long commit(CommitLog commits, String database) {
    CompletableFuture<Long> number = new CompletableFuture<>();
    Part part = new Part(database, SLOT, ByteBuffer.allocate(8));
    loop.execute(() -> commits.commit(part, LabelRenames.Of.NONE, loop, done(number)));
    return number.join();
  }

  private static CommitLog.Done done(CompletableFuture<Long> number) {
    return new CommitLog.Done() {
      @Override
      public void decided(long entry, long settled) {
        number.complete(entry);
      }

      @Override
      public void refused(String why) {
        number.completeExceptionally(new IllegalStateException(why));
      }

      @Override
      public void inDoubt(String why) {
        refused(why);
      }
    };
  }

  private static Position position(int slot, long entry, long settled) {
    Position position = new Position();
    position.row(-1, 0, settled, 0);
    position.row(slot, entry, settled, 0);
    return position;
  }

  @Test
  void anEntryOfItsNumberIsNotEnough() throws Exception {
    try (OrderLog order = OrderLog.alone(folder, 64 << 20)) {
      CommitLog commits = order.commits();
      commits.fence(0).join();
      long first = commit(commits, "app");
      long other = commit(commits, "other");
      long fence = commits.fence(0).join();
      long last = commit(commits, "app");

      assertThat(commits.isOf(Map.of("app", position(SLOT, 0, 0)))).isTrue();
      assertThat(commits.isOf(Map.of("app", position(SLOT, first, 0)))).isTrue();
      assertThat(commits.isOf(Map.of("app", position(SLOT, last, first)))).isTrue();
      assertThat(commits.isOf(Map.of("other", position(SLOT, other, 0)))).isTrue();

      assertThat(commits.isOf(Map.of("app", position(SLOT, other, 0)))).isFalse();
      assertThat(commits.isOf(Map.of("app", position(SLOT + 1, first, 0)))).isFalse();
      assertThat(commits.isOf(Map.of("app", position(SLOT, fence, other)))).isFalse();
      assertThat(commits.isOf(Map.of("app", position(SLOT, last + 1, other)))).isFalse();
      // Its rows were compared since.
      assertThat(commits.isOf(Map.of("app", position(SLOT, fence, fence)))).isTrue();
    } finally {
      loop.shutdownGracefully();
    }
  }
}
