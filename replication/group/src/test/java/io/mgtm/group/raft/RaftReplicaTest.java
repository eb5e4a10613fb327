package io.mgtm.group.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.mgtm.group.StateMachine;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RaftReplicaTest {
  private final Words words = new Words();
  private final RaftReplica replica = new RaftReplica(words, List.of("g1", "g2", "g3"));
  private long index;

  private static final class Words implements StateMachine {
    private final List<String> list = new ArrayList<>();

    @Override
    public void apply(long number, ByteBuffer payload) {
      list.add(number + ":" + UTF_8.decode(payload));
    }

    @Override
    public byte[] checkpoint() {
      return String.join(",", list).getBytes(UTF_8);
    }

    @Override
    public void restore(ByteBuffer checkpoint) {
      list.clear();
      Stream.of(UTF_8.decode(checkpoint).toString().split(","))
          .filter(word -> !word.isEmpty())
          .forEach(list::add);
    }
  }

  private boolean start(long leadership, long term) {
    return replica.committed(++index, RaftEntry.termStart(leadership, term, "g" + leadership));
  }

  private boolean command(long leadership, long number, String word) {
    return replica.committed(++index, entry(leadership, number, word));
  }

  private static RaftEntry entry(long leadership, long number, String word) {
    return RaftEntry.command(leadership, number, ByteBuffer.wrap(word.getBytes(UTF_8)));
  }

  @Test
  void commandsOfTheLastTermStartCountInTheirOrder() {
    assertThat(command(1, 1, "before any leader")).isFalse();
    assertThat(start(1, 5)).isTrue();
    assertThat(command(1, 1, "a")).isTrue();
    assertThat(command(1, 3, "after a gap")).isFalse();
    assertThat(command(1, 2, "b")).isTrue();
    assertThat(command(1, 2, "again")).isFalse();
    assertThat(words.list).containsExactly("1:a", "2:b");
    assertThat(replica.commands()).isEqualTo(2);
  }

  @Test
  void commandsThatCameIntoTheLogAfterTheNextLeaderBeganAreVoid() {
    start(1, 5);
    command(1, 1, "a");
    assertThat(start(2, 6)).isTrue();
    assertThat(command(1, 2, "late")).isFalse();
    assertThat(command(2, 2, "b")).isTrue();
    assertThat(start(1, 6)).as("a term start of no higher term").isFalse();
    assertThat(start(1, 4)).isFalse();
    assertThat(command(2, 3, "c")).isTrue();
    assertThat(words.list).containsExactly("1:a", "2:b", "3:c");
  }

  @Test
  void roundsCountForTheirLeaderOnly() {
    start(1, 5);
    assertThat(replica.committed(++index, RaftEntry.round(1, 7))).isTrue();
    start(2, 6);
    assertThat(replica.committed(++index, RaftEntry.round(1, 8))).isFalse();
  }

  @Test
  void leaderIsAheadOfTheLogAndIsBuiltAnewWhenItIsDeposed() {
    start(1, 5);
    command(1, 1, "a");
    RaftCheckpoint before = replica.complete(replica.takeState());
    for (String word : List.of("2:b", "3:lost")) {
      words.list.add(word);
      replica.appliedByLeader();
    }
    assertThat(replica.isAhead()).isTrue();
    assertThat(command(1, 2, "b")).as("applied by itself").isTrue();
    assertThat(words.list).containsExactly("1:a", "2:b", "3:lost");
    assertThat(replica.isAhead()).isTrue();
    replica.restore(RaftCheckpoint.decode(before.encoded()));
    assertThat(replica.committed(3, entry(1, 2, "b"))).isTrue();
    assertThat(words.list).containsExactly("1:a", "2:b");
    assertThat(replica.isAhead()).isFalse();
    assertThat(start(2, 6)).isTrue();
    assertThat(command(2, 3, "kept")).isTrue();
    assertThat(words.list).containsExactly("1:a", "2:b", "3:kept");
  }

  @Test
  void entriesThatACheckpointCoversAreSkipped() {
    start(1, 5);
    command(1, 1, "a");
    command(1, 2, "b");
    RaftCheckpoint checkpoint = replica.complete(replica.takeState());
    assertThat(RaftCheckpoint.decode(checkpoint.encoded())).isEqualTo(checkpoint);
    Words others = new Words();
    RaftReplica other = new RaftReplica(others, List.of("g1"));
    other.restore(checkpoint);
    assertThat(other.members()).containsExactlyInAnyOrder("g1", "g2", "g3");
    assertThat(other.committed(3, entry(1, 2, "b"))).isFalse();
    assertThat(other.committed(4, entry(1, 3, "c"))).isTrue();
    assertThat(others.list).containsExactly("1:a", "2:b", "3:c");
  }

  static Stream<RaftEntry> entries() {
    return Stream.of(
        entry(-3, 7, "word"),
        RaftEntry.termStart(9, Long.MAX_VALUE, "größer"),
        RaftEntry.round(1, 2),
        RaftEntry.welcome(Long.MIN_VALUE, -1));
  }

  @ParameterizedTest
  @MethodSource("entries")
  void entryIsReadAsItWasWrittenAndRefusedWhenCutOff(RaftEntry entry) {
    byte[] bytes = entry.encoded();
    assertThat(RaftEntry.decode(ByteBuffer.wrap(bytes))).isEqualTo(entry);
    for (int length = 0; length < RaftEntry.HEADER_BYTES; length++) {
      ByteBuffer cut = ByteBuffer.wrap(bytes, 0, length);
      assertThatIllegalArgumentException().isThrownBy(() -> RaftEntry.decode(cut));
    }
    bytes[0] = 9;
    assertThatIllegalArgumentException().isThrownBy(() -> RaftEntry.decode(ByteBuffer.wrap(bytes)));
  }
}
