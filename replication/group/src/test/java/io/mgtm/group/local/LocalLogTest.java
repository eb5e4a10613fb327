package io.mgtm.group.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.StateMachine;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalLogTest {
  @TempDir Path folder;

  static final class Words implements StateMachine {
    final List<String> words = new ArrayList<>();

    @Override
    public void apply(long index, ByteBuffer payload) {
      words.add(UTF_8.decode(payload).toString());
    }

    @Override
    public byte[] checkpoint() {
      return String.join(" ", words).getBytes(UTF_8);
    }

    @Override
    public void restore(ByteBuffer checkpoint) {
      words.clear();
      words.addAll(List.of(UTF_8.decode(checkpoint).toString().split(" ")));
    }
  }

  @Test
  void whatWasAppendedIsThereAfterReopening() {
    Deque<Runnable> owner = new ArrayDeque<>();
    ReplicatedLog.Listener listener =
        new ReplicatedLog.Listener() {
          @Override
          public void committed(long index) {}

          @Override
          public void failed(LogException cause) {
            throw cause;
          }
        };
    for (int round = 0; round < 3; round++) {
      Words words = new Words();
      LocalLog log =
          LocalLog.open(
              folder.resolve("data"),
              LocalLogSettings.defaults(),
              words,
              task -> {
                synchronized (owner) {
                  owner.add(task);
                }
              },
              listener);
      assertThat(words.words).hasSize(round * 10);
      assertThat(log.recoveredUncleanly()).isFalse();
      for (int i = 0; i < 10; i++) {
        assertThat(log.hasRoom(10)).isTrue();
        words.words.add("word" + i);
        log.append(ByteBuffer.wrap(("word" + i).getBytes(UTF_8)), Durability.REQUIRED);
      }
      log.close();
      assertThat(log.committedIndex()).isEqualTo((round + 1) * 10L);
    }
  }
}
