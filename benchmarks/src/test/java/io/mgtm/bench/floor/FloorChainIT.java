package io.mgtm.bench.floor;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.check.GivenOut;
import io.mgtm.bench.load.LoadResult;
import io.mgtm.bench.load.LoadRun;
import io.mgtm.bench.load.LoadSettings;
import io.mgtm.bench.load.Mix;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The chain answers as a GTM does, so that the load and its checker can be the same. */
@Tag("long")
class FloorChainIT {
  private static final int RUN_MS = 60_000;
  private static final long ENOUGH = 3_000;

  @TempDir private Path folder;

  private void answersRightly(String mode, int nodes) throws Exception {
    try (FloorChain chain = FloorChain.start(folder, mode, nodes);
        LoadRun run =
            LoadRun.start(
                LoadSettings.of(chain.entrance().resolve(), 4, Mix.TXN, RUN_MS), new GivenOut())) {
      Await.until("enough", () -> run.served() >= ENOUGH || run.failed() > 0);
      run.stop();
      LoadResult result = run.finish();
      assertThat(result.firstErrors()).isEmpty();
      assertThat(result.firstFindings()).isEmpty();
      assertThat(result.operations()).isPositive();
    }
  }

  @Test
  void waitsForTheFollower() throws Exception {
    answersRightly("fifo", 3);
  }

  @Test
  void doesNotWaitInModeLazy() throws Exception {
    answersRightly("lazy", 2);
  }

  @Test
  void hasNoFollowerInAGroupOfOne() throws Exception {
    answersRightly("fifo", 1);
  }
}
