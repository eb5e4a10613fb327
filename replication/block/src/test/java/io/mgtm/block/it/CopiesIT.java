package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An old copy is never taken for the newest, and a stranger's never for a copy. */
class CopiesIT {
  private static final int CHUNK = 65_536;

  @TempDir Path folder;
  private final List<VolumeProcess> copies = new ArrayList<>();

  @AfterEach
  void close() {
    copies.forEach(VolumeProcess::close);
  }

  /** A copy with its port. */
  private VolumeProcess copy(String name) throws IOException {
    VolumeProcess copy =
        new VolumeProcess(folder, name, OwnAddress.port())
            .listening()
            .with("--size", "16M", "--peer-wait-ms", "1000", "--path-timeout-ms", "8000");
    copies.add(copy);
    return copy;
  }

  /** Copies that receive and replicate to others; the first one is primary. */
  private List<VolumeProcess> started(String... names) throws Exception {
    for (String name : names) {
      copy(name).receiving();
    }
    for (VolumeProcess from : copies) {
      for (VolumeProcess to : copies) {
        // The second feeds the first only, so that it does not hand on what the third missed.
        if (from != to && (copies.indexOf(from) != 1 || to == copies.get(0))) {
          from.replica(to, "sync");
        }
      }
    }
    for (VolumeProcess copy : copies) {
      copy.launch();
    }
    for (VolumeProcess copy : copies) {
      copy.awaitAnswer();
    }
    assertThat(copies.get(0).ask("promote").path("error").asText()).isEmpty();
    copies.get(0).awaitUpToDate();
    return copies;
  }

  private static int write(VolumeProcess volume, long offset, int fill) throws Exception {
    try (NbdClient client = new NbdClient(volume.socket(), VolumeProcess.VOLUME)) {
      byte[] data = new byte[4096];
      Arrays.fill(data, (byte) fill);
      return client.write(offset, data, true);
    }
  }

  private static boolean serves(VolumeProcess volume) throws IOException {
    return volume.status().path("serving").asBoolean();
  }

  private static String promotion(VolumeProcess volume) throws IOException {
    return volume.ask("promote").path("error").asText();
  }

  private static void awaitNoSource(VolumeProcess volume) throws Exception {
    Await.until("the loss is noticed", () -> volume.status().path("upstream").isNull());
  }

  @Test
  @Tag("long")
  void anOldPrimaryServesNothingMoreOnceABetterOneExists() throws Exception {
    VolumeProcess a = started("a", "b").get(0);
    VolumeProcess b = copies.get(1);
    assertThat(write(a, 0, 1)).isZero();
    a.kill();
    awaitNoSource(b);
    assertThat(promotion(b)).contains("nobody can vouch").contains("followed its source until");
    assertThat(b.ask("promote", "force", true).path("note").asText()).contains("is lost");
    assertThat(write(b, 8192, 2)).isZero();
    b.kill();

    a.start();
    Await.until(
        "it says what it waits for",
        () -> a.status().path("notServingBecause").asText().contains("reached none"));
    assertThat(a.status().path("disk").asText()).isEqualTo("Consistent");
    assertThat(promotion(a)).as("a word without force is not enough").contains("reached none");
    assertThat(serves(a)).isFalse();

    b.start();
    Await.until("a follows", () -> a.status().path("role").asText().equals("secondary"));
    Await.until("b goes on", () -> serves(b) || b.ask("promote", "force", true).has("ok"));
    b.awaitUpToDate();
    assertThat(Files.mismatch(a.file(), b.file())).isEqualTo(-1);
  }

  @Test
  @Tag("long")
  void aPrimaryThatServesAloneStepsDownWhenItHearsOfABetterOne() throws Exception {
    VolumeProcess a = started("a", "b").get(0);
    VolumeProcess b = copies.get(1);
    a.kill();
    awaitNoSource(b);
    b.ask("promote", "force", true);
    assertThat(write(b, 8192, 2)).isZero();
    b.kill();
    a.with("--serve-alone").start();
    Await.until("a serves as it was told", () -> serves(a));
    try (NbdClient client = new NbdClient(a.socket(), VolumeProcess.VOLUME)) {
      assertThat(client.read(0, 1)[0]).isZero();
      b.start();
      Await.until("a steps down", () -> a.status().path("role").asText().equals("secondary"));
      Await.until("its clients are cut off", () -> a.status().path("clients").asInt() == 0);
    }
    b.ask("promote", "force", true);
    b.awaitUpToDate();
    assertThat(Files.mismatch(a.file(), b.file())).isEqualTo(-1);
  }

  @Test
  void aCopyThatMissedWritesIsNotPromoted() throws Exception {
    VolumeProcess a = started("a", "b", "c").get(0);
    VolumeProcess b = copies.get(1);
    VolumeProcess c = copies.get(2);
    a.ask("pause", "link", OwnAddress.HOST + ":" + c.receivePort);
    Await.until("c knows", () -> c.status().path("disk").asText().equals("Outdated"));
    assertThat(write(a, 3 * CHUNK, 7)).isZero();
    assertThat(b.status().path("disk").asText()).isEqualTo("UpToDate");
    a.kill();
    awaitNoSource(b);
    assertThat(promotion(c)).contains("is newer").contains("lose what only it has");
    b.kill();
    assertThat(promotion(c)).contains("nobody can vouch").contains("cannot be asked");
    assertThat(c.status().path("role").asText()).isEqualTo("secondary");
    a.start();
    b.start();
    Await.until("a serves again", () -> serves(a));
    a.awaitUpToDate();
    assertThat(a.ask("demote").path("ok").asBoolean()).isTrue();
    Await.until("b may be promoted, for a hands over", () -> promotion(b).isEmpty());
    assertThat(promotion(c)).isNotEmpty();
    assertThat(promotion(a)).isNotEmpty();
  }

  @Test
  @Tag("long")
  void aStrangerWithoutTheKeyLearnsNothingAndChangesNothing() throws Exception {
    VolumeProcess a = started("a", "b").get(0);
    VolumeProcess b = copies.get(1);
    assertThat(write(a, 0, 5)).isZero();
    byte[] before = Files.readAllBytes(b.file());
    VolumeProcess evil = copy("evil").withoutKey().replica(b, "sync").start();
    Await.until("it is refused", () -> evil.link(0).path("reason").asText().contains("says"));
    String told = Files.readString(evil.log()) + evil.status().path("links");
    assertThat(told).doesNotContain(b.status().path("nodeId").asText());
    assertThat(told).doesNotContain(b.status().path("generations").get(0).asText());
    VolumeProcess wrong = copy("wrong").withoutKey().replica(b, "sync");
    wrong.with(
        "--link-key", Files.writeString(folder.resolve("other"), "ab".repeat(32)).toString());
    wrong.start();
    Await.until(
        "another key is refused", () -> Files.readString(wrong.log()).contains("same link"));
    assertThat(Files.readAllBytes(b.file())).isEqualTo(before);
    assertThat(b.status().path("upstream").asText()).isEqualTo(a.status().path("nodeId").asText());
  }

  @Test
  @Tag("long")
  void anotherVolumeIsNotOverwrittenByAWrongPort() throws Exception {
    VolumeProcess a = started("a", "b").get(0);
    VolumeProcess b = copies.get(1);
    assertThat(write(a, 0, 5)).isZero();
    a.kill();
    awaitNoSource(b);
    byte[] before = Files.readAllBytes(b.file());
    VolumeProcess other = copy("other").replica(b, "sync").start();
    Await.until(
        "it is refused", () -> other.link(0).path("reason").asText().contains("different volumes"));
    assertThat(Files.readAllBytes(b.file())).isEqualTo(before);
  }

  /** Whoever answers at a replica's address vouches for nothing unless it is another true copy. */
  @Test
  @Tag("long")
  void aRestartedPrimaryIsNotVouchedForByItselfAStrangerOrItsOwnMetadata() throws Exception {
    VolumeProcess a = started("a", "b").get(0);
    VolumeProcess b = copies.get(1);
    assertThat(write(a, 0, 5)).isZero();
    a.kill();
    b.kill();

    VolumeProcess self = twinOf(a, "self").receiving();
    self.replica(self, "sync").start();
    assertDoesNotServe(self, "both are node");
    self.kill();

    VolumeProcess other = copy("other").receiving().start();
    other.ask("promote", "force", true);
    VolumeProcess wrong = twinOf(a, "wrong").replica(other, "sync").start();
    assertDoesNotServe(wrong, "different volumes");
    wrong.kill();

    Trees.delete(Path.of(b.file() + ".meta"));
    Trees.copy(Path.of(a.file() + ".meta"), Path.of(b.file() + ".meta"));
    a.start();
    b.start();
    assertDoesNotServe(a, "both are node");
    assertDoesNotServe(b, "both are node");
  }

  /** A machine is cloned with the primary on it, and the clone is started. */
  @Test
  @Tag("long")
  void aTwinOfAPrimaryThatLivesDoesNotServe() throws Exception {
    VolumeProcess a = started("a", "b").get(0);
    VolumeProcess b = copies.get(1);
    VolumeProcess twin = twinOf(a, "twin").receiving().replica(b, "sync").start();
    assertDoesNotServe(twin, "started from a copy of the other's metadata");
    assertThat(write(a, 0, 5)).as("the primary goes on").isZero();
    a.awaitUpToDate();
    assertThat(serves(twin)).isFalse();
  }

  /** A copy of the files of one that is down. */
  private VolumeProcess twinOf(VolumeProcess of, String name) throws IOException {
    VolumeProcess twin = copy(name);
    Files.copy(of.file(), twin.file());
    Trees.copy(Path.of(of.file() + ".meta"), Path.of(twin.file() + ".meta"));
    return twin;
  }

  private static void assertDoesNotServe(VolumeProcess volume, String why) throws Exception {
    Await.until(
        "it says why it does not serve; " + volume.tail(),
        () -> volume.status().path("notServingBecause").asText().contains(why));
    assertThat(promotion(volume)).as("not by a word without force").isNotEmpty();
    assertThat(serves(volume)).isFalse();
  }

  @Test
  void linksBeyondThisMachineNeedAKey() throws Exception {
    VolumeProcess open = copy("open").withoutKey().with("--receive", "0.0.0.0:0");
    Tools.Result refused =
        open.commandInAProcess(
            "start",
            "--name",
            "v1",
            "--file",
            open.file().toString(),
            "--size",
            "1M",
            "--receive",
            "0.0.0.0:0");
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.output()).contains("reaches beyond this machine").contains("--link-key");
  }

  /** In a chain of three the last one is promoted by force, though the first lives on. */
  @Test
  @Tag("long")
  void aThirdCopyIsGivenUpForThePrimaryThatInsistsWithoutInterruptingIt() throws Exception {
    VolumeProcess c = copy("c").receiving().start();
    VolumeProcess b = copy("b").receiving().replica(c, "sync").start();
    VolumeProcess a = copy("a").replica(b, "sync").start();
    a.awaitUpToDate();
    b.awaitUpToDate();
    assertThat(c.ask("promote", "force", true).has("ok")).isTrue();
    assertThat(write(c, 0, 7)).isZero();
    assertThat(write(a, 0, 5)).isZero();
    assertThat(c.ask("demote").path("error").asText()).isEmpty();
    Await.until("b met it", () -> b.link(0).path("reason").asText().contains("is newer"));
    assertThat(c.ask("demote", "discard", true).path("error").asText())
        .contains("no copy could be promoted", "'promote --force' there");
    try (NbdClient client = new NbdClient(a.socket(), VolumeProcess.VOLUME)) {
      assertThat(a.ask("promote", "force", true).path("error").asText()).isEmpty();
      Await.until(
          "c may be given up",
          () -> c.ask("demote", "discard", true).path("error").isMissingNode());
      b.awaitUpToDate();
      assertThat(client.read(0, 1)[0]).as("the client stays").isEqualTo((byte) 5);
    }
    a.awaitUpToDate();
    assertThat(Files.mismatch(a.file(), b.file())).isEqualTo(-1);
    assertThat(Files.mismatch(a.file(), c.file())).isEqualTo(-1);
    for (VolumeProcess told : List.of(b, c)) {
      assertThat(Files.readAllLines(told.log()))
          .filteredOn(line -> line.contains(" ERROR ") && line.contains("(split brain)"))
          .hasSize(1);
    }
  }

  @Test
  @Tag("long")
  void aLinkCutManyTimesInMidResyncIsNoSplitBrain() throws Exception {
    VolumeProcess b = copy("b").receiving().start();
    VolumeProcess a = copy("a").replica(b, "sync").with("--resync-min", "1M", "--resync-max", "4M");
    a.start().awaitUpToDate();
    for (int round = 0; round < 130; round++) {
      a.ask("pause");
      try (NbdClient client = new NbdClient(a.socket(), VolumeProcess.VOLUME)) {
        byte[] data = new byte[8 << 20];
        Arrays.fill(data, (byte) (round + 1));
        assertThat(client.write(0, data, false)).isZero();
      }
      a.ask("resume");
      Await.until("a resync runs", () -> a.linkState(0).equals("syncing"));
      assertThat(write(a, 9 << 20, round)).isZero();
    }
    a.awaitUpToDate();
    assertThat(a.status().path("generations").size()).isLessThan(5);
    assertThat(Files.mismatch(a.file(), b.file())).isEqualTo(-1);
  }
}
