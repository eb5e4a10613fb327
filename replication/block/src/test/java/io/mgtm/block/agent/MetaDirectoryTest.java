package io.mgtm.block.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mgtm.block.volume.Generations;
import io.mgtm.block.volume.Openings;
import io.mgtm.block.volume.Role;
import io.mgtm.block.volume.VolumeState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is damaged is found, and what follows from it is on stable storage. */
class MetaDirectoryTest {
  private static final int CHUNK = 65_536;

  @TempDir Path folder;
  private VolumeState state;

  @BeforeEach
  void write() throws IOException {
    state =
        VolumeState.fresh(
                "v", "n0", 100L * CHUNK, CHUNK, Role.PRIMARY, Generations.NONE.with(7).with(8))
            .withSlot("n1", new VolumeState.Slot(8, false));
    try (MetaDirectory meta = new MetaDirectory(folder, folder)) {
      meta.saveState(state);
    }
  }

  private Path stateFile() {
    return folder.resolve("volume.json");
  }

  private Path bitmap() {
    return folder.resolve("bitmap-n1");
  }

  private VolumeState open() throws IOException {
    return opened().withOpenings(Openings.NONE);
  }

  /** With the openings, which change each time. */
  private VolumeState opened() throws IOException {
    try (MetaDirectory meta = new MetaDirectory(folder, folder)) {
      return meta.loadBitmaps(meta.loadState()).state();
    }
  }

  @Test
  void theStateComesBack() throws IOException {
    assertThat(open()).isEqualTo(state);
  }

  /** The inode, which has its blocks whatever is written to it. */
  private static Object inode(Path file) throws IOException {
    return Files.getAttribute(file, "unix:ino");
  }

  @Test
  void theFolderOfAnAgentThatRunsIsNotSharedWithAnother() throws IOException {
    try (MetaDirectory first = new MetaDirectory(folder, folder)) {
      first.lock();
      try (MetaDirectory second = new MetaDirectory(folder, folder)) {
        assertThatThrownBy(second::lock).hasMessageContaining(folder + "/lock; stop it first");
      }
    }
    try (MetaDirectory next = new MetaDirectory(folder, folder)) {
      next.lock();
    }
  }

  @Test
  void aStateIsWrittenIntoASpareThatHasItsBlocks() throws IOException {
    Path spare = folder.resolve("volume.json.new");
    for (long size = 101; size < 105; size++) {
      Object reserved = inode(spare);
      try (MetaDirectory meta = new MetaDirectory(folder, folder)) {
        meta.saveState(state.withSize(size * CHUNK));
      }
      assertThat(inode(stateFile())).isEqualTo(reserved);
      assertThat(open().sizeBytes()).isEqualTo(size * CHUNK);
      assertThat(folder.resolve("volume.json.old")).doesNotExist();
    }
  }

  @Test
  void whereverWritingTheStateWasCutShortTheNextOneIsWritten() throws IOException {
    Path former = folder.resolve("volume.json.old");
    Path spare = folder.resolve("volume.json.new");
    Files.createLink(former, stateFile());
    try (MetaDirectory meta = new MetaDirectory(folder, folder)) {
      meta.saveState(state.withSize(101L * CHUNK));
    }
    assertThat(open().sizeBytes()).isEqualTo(101L * CHUNK);
    Files.move(spare, former);
    try (MetaDirectory meta = new MetaDirectory(folder, folder)) {
      meta.saveState(state.withSize(102L * CHUNK));
    }
    assertThat(open().sizeBytes()).isEqualTo(102L * CHUNK);
    assertThat(former).doesNotExist();
  }

  @Test
  void everyTurnedBitOfTheStateIsFound() throws IOException {
    byte[] good = Files.readAllBytes(stateFile());
    for (int at = 0; at < good.length; at++) {
      byte[] bad = good.clone();
      bad[at] ^= (byte) (1 << (at % 8));
      Files.write(stateFile(), bad);
      assertThatThrownBy(this::open)
          .as("byte %d", at)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("volume.json")
          .hasMessageContaining("--receive");
    }
  }

  @Test
  void aShortenedStateIsFound() throws IOException {
    byte[] good = Files.readAllBytes(stateFile());
    for (int length = 0; length < good.length; length++) {
      Files.write(stateFile(), Arrays.copyOf(good, length));
      assertThatThrownBy(this::open).as("%d bytes", length).hasMessageContaining("is damaged");
    }
  }

  @Test
  void aStateThatIsSomethingElseIsFound() throws IOException {
    Files.writeString(stateFile(), "{}");
    assertThatThrownBy(this::open)
        .hasMessageContaining("is damaged")
        .hasMessageContaining("version");
    Files.delete(stateFile());
    Files.createDirectory(stateFile());
    assertThatThrownBy(this::open).hasMessageContaining("is damaged: it is no file");
  }

  @Test
  void aVolumeThatWasInUseAndHasNoStateIsNotTakenForANewOne() throws IOException {
    Files.delete(stateFile());
    try (MetaDirectory meta = new MetaDirectory(folder, folder)) {
      meta.refuseRemains();
      FlushMark.open(folder);
      assertThatThrownBy(meta::refuseRemains)
          .hasMessageContaining("missing")
          .hasMessageContaining("--receive");
    }
  }

  @Test
  void aStateOfVersion1IsTakenAndSealed() throws IOException {
    String sealed = Files.readString(stateFile());
    String old =
        sealed
            .replaceAll(",\n  \"crc32c\" : \"[0-9a-f]{8}\"", "")
            .replace("\"version\" : 3", "\"version\" : 1");
    assertThat(old).doesNotContain("crc32c").contains("\"version\" : 1");
    Files.writeString(stateFile(), old);
    assertThat(open()).isEqualTo(state);
    assertThat(Files.readString(stateFile())).contains("crc32c").contains("\"version\" : 3");
  }

  @Test
  void aLostBitmapMeansAFullComparisonThatIsNotedBeforeAnythingElse() throws IOException {
    Files.delete(bitmap());
    assertThat(open().slots().get("n1")).isEqualTo(new VolumeState.Slot(8, true));
    assertThat(open().slots().get("n1").full()).as("after another restart").isTrue();
    assertThat(bitmap()).exists();
  }

  @Test
  void aDamagedBitmapMeansAFullComparisonToo() throws IOException {
    byte[] bytes = Files.readAllBytes(bitmap());
    Files.write(bitmap(), Arrays.copyOf(bytes, 4096));
    assertThat(open().slots().get("n1").full()).isTrue();
  }

  private void assertPutBack(Path file, byte[] older) throws IOException {
    byte[] present = Files.readAllBytes(file);
    Files.write(file, older);
    assertThat(opened().slots().get("n1").full()).as(file + " of an earlier opening").isTrue();
    assertThat(present).isNotEqualTo(older);
  }

  @Test
  void anOlderBitmapIsNotBelieved() throws IOException {
    opened();
    byte[] older = Files.readAllBytes(bitmap());
    assertThat(opened().slots().get("n1").full()).isFalse();
    assertPutBack(bitmap(), older);
    assertThat(opened().standing().outdated()).as("the state is the present one").isFalse();
  }

  @Test
  void anOlderStateCountsAsOutdatedAndItsBitmapsAreNotBelieved() throws IOException {
    opened();
    byte[] older = Files.readAllBytes(stateFile());
    long before = opened().openings().count();
    assertPutBack(stateFile(), older);
    VolumeState found = opened();
    assertThat(found.standing().outdated()).isTrue();
    assertThat(found.role()).isEqualTo(Role.SECONDARY);
    assertThat(found.openings().count()).isGreaterThan(before);
    assertThat(found.slots().get("n1").full()).as("after another restart").isTrue();
  }

  @Test
  void anOpeningThatWasCutShortIsGoneOnWith() throws IOException {
    opened();
    byte[] before = Files.readAllBytes(bitmap());
    VolumeState first = opened();
    // What was replaced last is the state from before the bitmaps named the opening.
    Files.copy(folder.resolve("volume.json.new"), stateFile(), StandardCopyOption.REPLACE_EXISTING);
    VolumeState again = opened();
    assertThat(again).as("the bitmap named it already").isEqualTo(first);
    Files.copy(folder.resolve("volume.json.new"), stateFile(), StandardCopyOption.REPLACE_EXISTING);
    Files.write(bitmap(), before);
    assertThat(opened()).as("the bitmap did not name it yet").isEqualTo(first);
  }

  @Test
  void filesOfVersion2AreTakenOver() throws IOException {
    ObjectNode text = (ObjectNode) new ObjectMapper().readTree(stateFile().toFile());
    text.remove(List.of("crc32c", "openings", "bitmapsOpening", "nextOpening"));
    ((ObjectNode) text.path("slots").path("n1")).remove("heard");
    text.put("version", 2);
    Files.write(
        stateFile(),
        JsonSeal.seal(new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsBytes(text)));
    ByteBuffer header = ByteBuffer.wrap(Files.readAllBytes(bitmap()));
    header.putInt(8, 2);
    CRC32C sum = new CRC32C();
    sum.update(header.array(), 0, 24);
    Files.write(bitmap(), header.putInt(24, (int) sum.getValue()).array());
    assertThat(open()).isEqualTo(state);
    assertThat(opened().openings().count()).isEqualTo(2);
  }

  @Test
  void bitmapsGrowBeforeTheStateNamesTheSize() throws IOException {
    VolumeState larger = state.withSize(100_000L * CHUNK);
    try (MetaDirectory meta = new MetaDirectory(folder, folder)) {
      meta.loadBitmaps(meta.loadState());
      meta.saveState(larger);
    }
    assertThat(open()).isEqualTo(larger);
  }

  @Test
  void theStateStaysJson() throws IOException {
    String text = Files.readString(stateFile(), StandardCharsets.UTF_8);
    assertThat(new ObjectMapper().readTree(text).path("crc32c").asText()).hasSize(8);
  }
}
