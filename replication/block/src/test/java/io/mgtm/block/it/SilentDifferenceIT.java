package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sequences after which two copies once said that they were equal, and were not. */
@Tag("long")
class SilentDifferenceIT {
  private static final int MIB = 1 << 20;
  private static final int CHUNKS_AWAY = 64;
  private static final int CHUNK = 65_536;

  @TempDir Path folder;

  @Test
  void whatIsWrittenBehindTheOldEndAfterAResizeAndAPromotionReachesTheOtherCopy() throws Exception {
    try (CopyPair pair = new CopyPair(folder, "64M").start()) {
      assertThat(pair.a.ask("resize", "sizeBytes", 192L * MIB).has("ok")).isTrue();
      Await.until("b has grown", () -> pair.b.status().path("sizeBytes").asLong() == 192L * MIB);
      pair.a.awaitUpToDate();
      pair.a.kill();
      pair.promote(pair.b, true);
      assertThat(CopyPair.write(pair.b, 150L * MIB, 5, 8 * MIB)).isZero();
      pair.b.kill();
      pair.recover(pair.b);
      assertThat(pair.a.status().path("role").asText()).isEqualTo("secondary");
      pair.assertEqual(pair.b);
    }
  }

  /** A primary that served alone gets back the metadata of the time before. */
  @Test
  void metadataOfAnEarlierTimeThatArePutBackAreNotBelieved() throws Exception {
    try (CopyPair pair = new CopyPair(folder, "16M", "--peer-wait-ms", "1000").start()) {
      Path meta = Path.of(pair.a.file() + ".meta");
      Path backup = folder.resolve("backup");
      pair.a.stop();
      Trees.copy(meta, backup);
      pair.recover(pair.a);
      pair.b.kill();
      assertThat(CopyPair.write(pair.a, 8L * MIB, 5, MIB)).isZero();
      pair.a.kill();
      Trees.delete(meta);
      Trees.copy(backup, meta);
      pair.launchWhatIsDown();
      Await.until(
          "a knows that it may be outdated",
          () -> pair.a.status().path("disk").asText().equals("Outdated"));
      assertThat(Files.readString(pair.b.log())).contains("from an earlier time");
      assertThat(pair.a.ask("promote").path("error").asText()).contains("nobody can vouch");
      pair.promote(pair.a, true);
      pair.recover(pair.a);
      assertThat(Files.readString(pair.a.log())).contains("every chunk is to be compared");
      pair.assertEqual(pair.a);
    }
  }

  /** The replica misses writes, and what says which is spoiled while the primary is down. */
  @ParameterizedTest
  @EnumSource(CopyPair.Spoiling.class)
  void aSpoiledBitmapMeansThatEverythingIsComparedHoweverOftenThatIsCutShort(
      CopyPair.Spoiling spoiling) throws Exception {
    String[] slow = {"--resync-min", "2M", "--resync-max", "4M", "--peer-wait-ms", "1000"};
    try (CopyPair pair = new CopyPair(folder, "16M", slow).start()) {
      pair.b.kill();
      for (int i = 0; i < CHUNKS_AWAY; i++) {
        assertThat(CopyPair.write(pair.a, 2L * i * CHUNK, i + 1, CHUNK)).isZero();
      }
      pair.a.kill();
      spoiling.apply(pair.a);
      pair.b.start();
      pair.a.start();
      Await.until("a resync runs", () -> pair.a.linkState(0).equals("syncing"));
      assertThat(Files.readString(pair.a.log())).contains("every chunk is compared");
      pair.a.kill();
      pair.a.start();
      Await.until("it runs again", () -> pair.a.linkState(0).equals("syncing"));
      pair.recover(pair.a);
      pair.assertEqual(pair.a);
    }
  }
}
