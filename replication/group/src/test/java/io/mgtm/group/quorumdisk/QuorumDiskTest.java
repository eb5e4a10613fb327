package io.mgtm.group.quorumdisk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThatCode;

import io.mgtm.group.core.CoreLog;
import io.mgtm.group.core.DurabilityState;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import io.mgtm.group.core.TermRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuorumDiskTest {
  private static final MemberId A = new MemberId("a", new UUID(1, 1));
  private static final MemberId B = new MemberId("b", new UUID(2, 2));
  private static final Membership BOTH = Membership.ofVoters(List.of(A, B));

  @TempDir private Path folder;
  private Path path;

  @BeforeEach
  void create() {
    path = folder.resolve("disk");
    assumeThatCode(() -> QuorumDisk.create(path, "orders", List.of("a", "b"), false))
        .as("a file system with direct access")
        .doesNotThrowAnyException();
  }

  private static Words words(MemberId by, long version, long term, MemberId voted, long index) {
    TermRecord record =
        new TermRecord(term, voted, 3, DurabilityState.INTACT, BOTH, BOTH.founding(), true);
    return new Words(by, version, true, 7, record, CoreLog.Checkpoint.position(index, term, BOTH));
  }

  private void write(int slot, long number, Words words) throws DiskException {
    try (QuorumDisk disk = QuorumDisk.open(path)) {
      disk.write(slot, number, words.encoded());
    }
  }

  private DiskImage read() throws DiskException {
    try (QuorumDisk disk = QuorumDisk.open(path)) {
      return disk.read();
    }
  }

  private void damage(int offset) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[100]), offset);
    }
  }

  @Test
  void aNewOneSaysNothing() throws Exception {
    DiskImage image = read();
    assertThat(image.cluster()).isEqualTo("orders");
    assertThat(image.nodes()).containsExactly("a", "b");
    assertThat(image.said())
        .containsExactly(
            new DiskImage.Said(0, Optional.empty()), new DiskImage.Said(0, Optional.empty()));
  }

  @Test
  void whatIsWrittenIsReadAsItWas() throws Exception {
    Words words = words(A, 5, 9, B, 44);
    write(0, 1, words);
    assertThat(read().said().get(0)).isEqualTo(new DiskImage.Said(1, Optional.of(words)));
    Words none = Words.none(B);
    write(1, 1, none);
    assertThat(read().said().get(1).words()).hasValue(none);
  }

  @Test
  void aTornWriteLeavesTheOneBefore() throws Exception {
    Words before = words(A, 5, 9, B, 44);
    write(0, 1, before);
    write(0, 2, words(A, 6, 10, A, 44));
    damage(DiskImage.offset(0, 2) + 40);
    assertThat(read().said().get(0).words()).hasValue(before);
  }

  @Test
  void whatIsDamagedIsNotTakenForNothing() throws Exception {
    write(0, 1, words(A, 5, 9, B, 44));
    damage(DiskImage.offset(0, 0));
    damage(DiskImage.offset(0, 1));
    assertThatThrownBy(this::read)
        .isInstanceOf(DiskException.class)
        .hasMessageContaining("what a wrote on it is damaged")
        .hasMessageContaining(path.toString());
  }

  @Test
  void aNewPlaceKeepsWhatWasSaidInTheFormer() throws Exception {
    Words former = words(A, 5, 9, B, 44);
    write(0, 1, former);
    QuorumDisk.renew(path, "a");
    QuorumDisk.renew(path, "c");
    DiskImage image = read();
    assertThat(image.nodes()).containsExactly("a", "b", "a", "c");
    assertThat(image.slotOf("a")).isEqualTo(2);
    assertThat(image.slotOf("d")).isEqualTo(-1);
    assertThat(image.allWords(2, Words.none(A), Optional.empty()).record())
        .isEqualTo(former.record());
  }

  @Test
  void placesAreBounded() throws Exception {
    for (int slot = 2; slot < DiskImage.SLOTS_MAX; slot++) {
      QuorumDisk.renew(path, "a");
    }
    assertThatThrownBy(() -> QuorumDisk.renew(path, "a")).hasMessageContaining("no slot left");
  }

  @Test
  void whatHoldsSomethingIsNotOverwritten() throws Exception {
    assertThatThrownBy(() -> QuorumDisk.create(path, "other", List.of("a", "b"), false))
        .hasMessageContaining("is not empty")
        .hasMessageContaining("--force");
    UUID before = read().disk();
    write(0, 1, words(A, 5, 9, B, 44));
    QuorumDisk.create(path, "other", List.of("c", "d"), true);
    DiskImage image = read();
    assertThat(image.disk()).isNotEqualTo(before);
    assertThat(image.said()).allMatch(said -> said.words().isEmpty());
  }

  @Test
  void whatIsNoQuorumDiskIsRefused() throws Exception {
    Path other = folder.resolve("other");
    Files.write(other, new byte[1 << 20]);
    try (QuorumDisk disk = QuorumDisk.open(other)) {
      assertThatThrownBy(disk::read)
          .hasMessage(other + ": it is no quorum disk; make one of it, see docs/ha.md");
    }
    Path small = folder.resolve("small");
    Files.write(small, new byte[4096]);
    try (QuorumDisk disk = QuorumDisk.open(small)) {
      assertThatThrownBy(disk::read).hasMessageContaining("it ends after 4096 bytes");
    }
    assertThatThrownBy(() -> QuorumDisk.open(folder))
        .hasMessageContaining("is neither a block device nor a file");
    assertThatThrownBy(() -> QuorumDisk.open(Path.of("/dev/null")))
        .hasMessageContaining("is neither a block device nor a file");
    assertThatThrownBy(() -> QuorumDisk.open(folder.resolve("none")))
        .hasMessageContaining("cannot open " + folder.resolve("none"));
  }

  @Test
  void twoBindToTheLaterTermAndTheFurtherPosition() {
    Words both = words(A, 5, 9, A, 44).and(words(B, 4, 11, B, 40));
    assertThat(both.record().term()).isEqualTo(11);
    assertThat(both.record().votedFor()).isEqualTo(B);
    assertThat(both.position().index()).isEqualTo(40); // of a later term
    assertThat(both.version()).isEqualTo(5);
    assertThat(words(A, 5, 9, A, 44).and(words(B, 4, 9, null, 40)).position().index())
        .isEqualTo(44);
  }

  @Test
  void nobodyGetsAVoteThatTwoMayHaveGot() {
    assertThat(words(A, 5, 9, A, 44).and(words(B, 5, 9, B, 44)).record().votedFor().name())
        .isEqualTo("nobody");
    assertThat(words(A, 5, 9, A, 44).and(words(B, 6, 9, A, 44)).record().votedFor()).isEqualTo(A);
    assertThat(words(A, 5, 9, null, 44).and(words(B, 5, 9, B, 44)).record().votedFor())
        .isEqualTo(B);
    assertThat(words(A, 5, 9, A, 44).and(words(B, 5, 9, null, 44)).record().votedFor())
        .isEqualTo(A);
  }

  /** One whose answers have left had been read by nobody who wrote no higher version beside it. */
  @Test
  void whoHadNotSeenWhatWasAnsweredDoesNotCount() throws Exception {
    Words answered = words(A, 5, 9, A, 44);
    write(0, 1, answered);
    write(1, 1, words(B, 5, 9, B, 44));
    DiskImage image = read();
    assertThat(image.allWords(0, Words.none(A), Optional.of(answered)).record().votedFor())
        .isEqualTo(A);
    assertThat(image.allWords(0, Words.none(A), Optional.empty()).record().votedFor().name())
        .isEqualTo("nobody");
    // Its own words have gone on since, and are in a former slot.
    write(0, 2, words(A, 6, 9, A, 45));
    QuorumDisk.renew(path, "a");
    assertThat(read().allWords(2, Words.none(A), Optional.of(answered)).record().votedFor())
        .isEqualTo(A);
    write(1, 2, words(B, 6, 10, B, 44));
    assertThat(read().allWords(0, Words.none(A), Optional.of(answered)).record().term())
        .isEqualTo(10);
  }
}
