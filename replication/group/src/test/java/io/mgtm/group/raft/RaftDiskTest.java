package io.mgtm.group.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import io.mgtm.group.storage.LogSettings;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RaftDiskTest {
  private static final LogSettings SMALL = new LogSettings(1 << 14, 1, 4, 2_000, 500);

  @TempDir Path folder;

  private void open(RaftFolder.Use use) throws Exception {
    new RaftFolder(folder, SMALL).open(use);
  }

  private static LogEntries entries(long term, String... words) {
    LogEntries entries = new LogEntries();
    for (String word : words) {
      entries.add(new LogEntry(term, word.getBytes(UTF_8)).internal(word.startsWith("internal")));
    }
    return entries;
  }

  private static String word(LogEntry entry) {
    return new String(entry.command(), entry.offset(), entry.length(), UTF_8);
  }

  private static RaftCheckpoint checkpoint(long index, String state) {
    return new RaftCheckpoint(
        index, index, 1, 1, "g1", List.of("g1"), ByteBuffer.wrap(state.getBytes(UTF_8)));
  }

  @Test
  void entriesAreThereAfterARestartWithTheirTermsAndKinds() throws Exception {
    open(
        disk -> {
          assertThat(disk.append(1, entries(1, "a", "internal b"))).isEqualTo(2);
          assertThat(disk.append(3, entries(4, "c"))).isEqualTo(3);
        });
    open(
        disk -> {
          assertThat(disk.lastAppended()).isEqualTo(3);
          assertThat(disk.firstAppended()).isZero();
          assertThat(word(disk.get(1))).isEqualTo("a");
          assertThat(disk.get(2).internal()).isTrue();
          assertThat(disk.get(3).term()).isEqualTo(4);
          assertThat(disk.get(3).internal()).isFalse();
          assertThat(disk.get(4)).isNull();
          assertThat(disk.get(0)).isNull();
        });
  }

  @Test
  void termIsNeverLoweredAndAVoteIsKeptUntilTheNext() throws Exception {
    Address candidate = UUID.randomUUID();
    open(
        disk -> {
          disk.currentTerm(7).votedFor(candidate);
          disk.append(1, entries(3, "of an older term"));
          disk.currentTerm(3);
          disk.votedFor(null);
        });
    open(
        disk -> {
          assertThat(disk.currentTerm()).isEqualTo(7);
          assertThat(disk.votedFor()).isEqualTo(candidate);
          disk.currentTerm(8);
          assertThat(disk.votedFor()).isNull();
          assertThat(disk.isSettled()).isFalse();
          disk.settle();
        });
    open(disk -> assertThat(disk.isSettled()).isTrue());
  }

  @Test
  void conflictingEntriesAreCutButNoneThatIsCommitted() throws Exception {
    open(
        disk -> {
          disk.append(1, entries(1, "a", "b", "c"));
          disk.commitIndex(1);
          disk.deleteAllEntriesStartingFrom(2);
          disk.append(2, entries(2, "d"));
          assertThat(word(disk.get(2))).isEqualTo("d");
          assertThatThrownBy(() -> disk.deleteAllEntriesStartingFrom(1))
              .isInstanceOf(LogException.class)
              .hasMessageContaining("empty folder");
        });
    open(disk -> assertThat(word(disk.get(2))).isEqualTo("d"));
  }

  @Test
  void checkpointBoundsTheLogAndIsWhatTheNextStartBeginsWith() throws Exception {
    open(
        disk -> {
          for (int i = 1; i <= 2_000; i += 4) {
            disk.append(
                i,
                entries(1, "word " + i, "word " + (i + 1), "word " + (i + 2), "word " + (i + 3)));
          }
          disk.commitIndex(2_000);
          disk.saveCheckpoint(checkpoint(900, "first"));
          disk.saveCheckpoint(checkpoint(1_900, "second"));
          assertThat(disk.firstAppended()).isEqualTo(901);
          assertThat(disk.get(900).term()).isEqualTo(1);
          assertThat(disk.get(899)).isNull();
          assertThat(word(disk.get(901))).isEqualTo("word 901");
          disk.saveCheckpoint(checkpoint(1_000, "late"));
          assertThat(disk.newestCheckpoint()).contains(checkpoint(1_900, "second"));
        });
    open(
        disk -> {
          assertThat(disk.newestCheckpoint()).contains(checkpoint(1_900, "second"));
          assertThat(disk.commitIndex()).isEqualTo(1_900);
          assertThat(disk.lastAppended()).isEqualTo(2_000);
          assertThat(word(disk.get(1_901))).isEqualTo("word 1901");
        });
  }

  @Test
  void checkpointOfAnotherMemberTakesThePlaceOfTheLog() throws Exception {
    open(
        disk -> {
          disk.append(1, entries(1, "a", "b", "c"));
          disk.setSnapshot(ByteBuffer.wrap(checkpoint(500, "theirs").encoded()));
          disk.reinitializeTo(500, new LogEntry(6, null));
          assertThat(disk.lastAppended()).isEqualTo(500);
          assertThat(disk.get(500).term()).isEqualTo(6);
          assertThat(disk.get(3)).isNull();
          disk.append(501, entries(6, "next"));
        });
    open(
        disk -> {
          assertThat(disk.newestCheckpoint()).contains(checkpoint(500, "theirs"));
          assertThat(word(disk.get(501))).isEqualTo("next");
          assertThat(disk.get(500).term()).isEqualTo(6);
        });
  }

  @Test
  void roomIsWaitedForWhileEntriesAreUnderWay() throws Exception {
    open(
        disk -> {
          assertThat(disk.hasRoom(100, 10)).isTrue();
          disk.queued(16_000);
          assertThat(disk.hasRoom(1_000, 10)).isFalse();
          assertThat(disk.noRoomReason()).contains("not on disk yet");
          disk.queued(-16_000);
          assertThat(disk.hasRoom(1_000, 10)).isTrue();
        });
  }

  @Test
  void folderOfAnotherModeOrWithoutItsTermIsRefused() throws Exception {
    open(disk -> disk.append(1, entries(1, "a")));
    Path term = folder.resolve("data").resolve(RaftTerm.NAME);
    byte[] content = Files.readAllBytes(term);
    content[10] ^= 1;
    Files.write(term, content);
    assertThatThrownBy(() -> open(disk -> {})).hasMessageContaining("could vote twice");
    Files.delete(term);
    assertThatThrownBy(() -> open(disk -> {})).hasMessageContaining("choose another folder");
    Files.write(folder.resolve("data").resolve("term"), new byte[] {1});
    assertThatThrownBy(() -> open(disk -> {})).hasMessageContaining("another mode");
  }
}
