package io.mgtm.group.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.LogException;
import io.mgtm.group.storage.DataDirectory;
import io.mgtm.group.storage.LogSettings;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.EmptyMessage;
import org.jgroups.ObjectMessage;
import org.jgroups.protocols.raft.AppendEntriesRequest;
import org.jgroups.protocols.raft.Leader;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.jgroups.protocols.raft.election.VoteRequest;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is mended in jgroups-raft's replication, without a network. */
@Timeout(60)
class GroupRaftTest {
  @TempDir Path folder;
  private final Told told = new Told();
  private final Address own = UUID.randomUUID();
  private DataDirectory directory;
  private RaftThreads threads;
  private RaftDisk disk;
  private GroupRaft raft;

  private static final class Told implements GroupRaft.Sink {
    private final List<String> words = new ArrayList<>();

    @Override
    public void committed(long index, ByteBuffer entry) {
      words.add(index + ":" + UTF_8.decode(entry));
    }

    @Override
    public void members(long index, List<String> members) {
      words.add(index + ":" + members.size() + " members");
    }

    @Override
    public void flush() {}

    @Override
    public void restored(RaftCheckpoint checkpoint) {
      words.clear();
    }

    @Override
    public void failed(LogException cause) {
      throw cause;
    }
  }

  @BeforeEach
  void open() {
    directory = DataDirectory.open(folder.resolve("data"));
    threads = RaftThreads.start("test");
    disk = new RaftDisk(directory, new LogSettings(1 << 14, 1, 4, 2_000, 500), threads.files());
    raft = new GroupRaft(disk, told);
    raft.raftId("g1").members(List.of("g1", "g2", "g3"));
    raft.addr(own);
  }

  @AfterEach
  void close() {
    threads.stop();
    directory.close();
  }

  private static LogEntries entries(Object... termsAndWords) {
    LogEntries entries = new LogEntries();
    for (int i = 0; i < termsAndWords.length; i += 2) {
      byte[] word = ((String) termsAndWords[i + 1]).getBytes(UTF_8);
      entries.add(new LogEntry((int) termsAndWords[i], word));
    }
    return entries;
  }

  private String word(long index) {
    LogEntry entry = disk.get(index);
    return entry == null ? "" : new String(entry.command(), entry.offset(), entry.length(), UTF_8);
  }

  @Test
  void followerReportsAndCommitsOnlyWhatWasComparedWithThisLeader() {
    raft.currentTerm(1);
    raft.append(1, entries(1, "a", 1, "b", 1, "c"));
    assertThat(raft.lastAppended()).isEqualTo(3);
    raft.currentTerm(2);
    assertThat(raft.lastAppended()).as("of another leader, not compared yet").isZero();
    raft.commitLogTo(3, false);
    assertThat(raft.commitIndex()).isZero();
    raft.append(1, entries(1, "a"));
    assertThat(raft.lastAppended()).isEqualTo(1);
    raft.commitLogTo(3, false);
    assertThat(raft.commitIndex()).isEqualTo(1);
    assertThat(told.words).containsExactly("1:a");
  }

  @Test
  void everyEntryOfAMessageIsComparedAndWhatConflictsIsReplaced() {
    raft.currentTerm(1);
    raft.append(1, entries(1, "a", 1, "b", 1, "c"));
    raft.currentTerm(2);
    raft.append(1, entries(1, "a", 2, "x"));
    assertThat(word(2)).isEqualTo("x");
    assertThat(disk.get(3)).isNull();
    assertThat(raft.lastAppended()).isEqualTo(2);
  }

  @Test
  void senderOfEntriesIsNotTakenForTheLeaderOfALaterTerm() {
    Address former = UUID.randomUUID();
    Address next = UUID.randomUUID();
    raft.currentTerm(1);
    raft.setDownProtocol(new Silent());
    ObjectMessage entriesOfTheFormer =
        new ObjectMessage(own, entries(1, "a")) {
          @Override
          @SuppressWarnings("TypeParameterUnusedInFormals") // JGroups' own
          public <T> T getObject() {
            raft.currentTerm(2); // an election begins while the message is dealt with
            return super.getObject();
          }
        };
    raft.handleUpRequest(
        entriesOfTheFormer.setSrc(former), new AppendEntriesRequest(former, 1, 0, 0, 1, 0));
    assertThat(raft.leader()).isNull();
    assertThat(raft.lastAppended()).as("compared with the next leader's log").isZero();
    raft.setLeaderAndTerm(next, 2);
    assertThat(raft.leader()).isEqualTo(next);
  }

  @Test
  void voteIsStoredWithItsTerm() {
    raft.currentTerm(3);
    raft.votedFor(own);
    assertThat(disk.currentTerm()).isEqualTo(3);
    disk.currentTerm(3);
    assertThat(disk.votedFor()).isEqualTo(own);
  }

  @Test
  void voteIsLeftToTheThreadThatAppends() throws Exception {
    raft.init();
    raft.currentTerm(1);
    GroupElection election = new GroupElection(() -> true, told::failed);
    election.addr(own);
    election.raft(raft);
    election.setDownProtocol(new Silent());
    election.up(
        new EmptyMessage(own)
            .setSrc(UUID.randomUUID())
            .putHeader(election.getId(), new VoteRequest(2)));
    assertThat(raft.currentTerm()).as("the term, as long as that thread does not run").isEqualTo(1);
    assertThat(raft.votedFor()).isNull();
  }

  @Test
  void messageThatIsRepeatedLateCutsNothing() {
    raft.currentTerm(1);
    raft.append(1, entries(1, "a", 1, "b", 1, "c"));
    raft.append(1, entries(1, "a", 1, "b"));
    assertThat(word(3)).isEqualTo("c");
    assertThat(raft.lastAppended()).isEqualTo(3);
    raft.append(3, entries(1, "c", 1, "d"));
    assertThat(word(4)).isEqualTo("d");
  }

  @Test
  void leaderCommitsEntriesOfFormerTermsOnlyTogetherWithOneOfItsOwn() {
    raft.currentTerm(2);
    raft.append(1, entries(1, "a", 1, "b", 2, "own"));
    raft.leader(own);
    assertThat(raft.impl()).isInstanceOf(Leader.class);
    raft.commitLogTo(2, true);
    assertThat(raft.commitIndex()).isZero();
    raft.commitLogTo(3, true);
    assertThat(raft.commitIndex()).isEqualTo(3);
    assertThat(told.words).containsExactly("1:a", "2:b", "3:own");
  }

  @Test
  void committedEntriesAreToldAgainForALeaderThatWasDeposed() {
    raft.currentTerm(1);
    raft.append(1, entries(1, "a", 1, "b", 1, "not committed"));
    raft.commitLogTo(2, false);
    told.words.clear();
    raft.tellAgain(new RaftCheckpoint(0, 0, 0, 0, "", List.of("g1"), ByteBuffer.wrap(new byte[0])));
    assertThat(told.words).containsExactly("1:a", "2:b", "2:3 members");
  }
}
