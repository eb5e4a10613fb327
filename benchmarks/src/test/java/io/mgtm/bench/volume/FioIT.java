package io.mgtm.bench.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** fio on nbdkit, both real. */
@Tag("long")
class FioIT {
  @TempDir Path folder;

  @Test
  void aRunOfLessThanASecondHasFigures() throws IOException, InterruptedException {
    assumeThat(Exec.has("fio") && Exec.has("nbdkit")).as("fio and nbdkit").isTrue();
    Path file = Files.write(folder.resolve("file"), new byte[1 << 20]);
    Programs programs = new Programs(folder, Path.of("no volume"), "1M", List.of());
    try (Servant nbdkit = programs.nbdkit("disk", file)) {
      Fio.Figures figures =
          new Fio(folder, "1M", 0.2).random(programs.socket("disk"), "randread", 4);
      nbdkit.checkAlive();
      assertThat(figures.p50Us()).isPositive();
    }
  }
}
