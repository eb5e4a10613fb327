package io.mgtm.block.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.flash.Flash;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Many reads, writes and zeroings of any offset and length at once, never overlapping but often
 * within the same blocks, against an array of bytes.
 */
class StoreTortureTest {
  private static final int SIZE = 256 * 1024;
  private static final int STEPS = 4000;
  private static final int UNDER_WAY_MAX = 40;

  /** One call under way. */
  private record Call(int from, int to, ByteBuffer target) {}

  @TempDir Path folder;
  private final StoreRig rig = new StoreRig();
  private final byte[] model = new byte[SIZE];
  private final List<Call> underWay = new ArrayList<>();
  private int reads;

  @ParameterizedTest
  @EnumSource(IoMode.class)
  void whatWasWrittenIsThereAndNothingElseChanges(IoMode mode) throws Exception {
    Path path = folder.resolve("file");
    Files.write(path, model);
    try (BackingStore store = StoreRig.open(mode, path, rig.owner())) {
      torture(store, new Random(1));
    }
    assertThat(reads).isGreaterThan(STEPS / 8);
    assertThat(Files.readAllBytes(path)).isEqualTo(model);
  }

  /** Without the locks neighbours in one block undo each other, and the torture finds it. */
  @Test
  void neighboursThatAreNotKeptApartAreFound() throws Exception {
    Assumptions.assumeTrue(Flash.available().usable(), () -> "SKIPPED: no io_uring");
    Path path = folder.resolve("file");
    Files.write(path, model);
    EdgeLocks none =
        new EdgeLocks() {
          @Override
          boolean tryEnter(FlashRequest change) {
            return true;
          }
        };
    StoreRig.open(IoMode.DIRECT, path, rig.owner()).close();
    try (BackingStore store = FlashStore.open(path, true, rig.owner(), none)) {
      assertThatThrownBy(
              () -> {
                for (int seed = 1; seed <= 20; seed++) {
                  torture(store, new Random(seed));
                  assertThat(Files.readAllBytes(path)).isEqualTo(model);
                }
              })
          .isInstanceOf(AssertionError.class)
          .hasMessageNotContaining("within 20 s");
    } finally {
      while (!underWay.isEmpty()) {
        underWay.remove(0);
      }
    }
  }

  private void torture(BackingStore store, Random random) throws Exception {
    for (int step = 0; step < STEPS; step++) {
      while (underWay.size() >= UNDER_WAY_MAX) {
        rig.runOne();
      }
      begin(store, random);
    }
    while (!underWay.isEmpty()) {
      rig.runOne();
    }
  }

  private void begin(BackingStore store, Random random) {
    int length = 1 + random.nextInt(random.nextInt(20) == 0 ? 40_000 : 700);
    int near = random.nextInt(underWay.isEmpty() ? 1 : 2);
    int from =
        near == 0
            ? random.nextInt(SIZE - length)
            // Right behind another that is under way.
            : Math.min(underWay.get(random.nextInt(underWay.size())).to(), SIZE - length);
    int to = from + length;
    if (underWay.stream().anyMatch(call -> call.from() < to && from < call.to())) {
      return;
    }
    int kind = random.nextInt(8);
    ByteBuffer bytes = kind == 7 ? null : ByteBuffer.allocateDirect(length);
    Call call = new Call(from, to, kind < 2 ? bytes : null);
    underWay.add(call);
    if (kind < 2) {
      store.read(from, bytes, call, this::done);
    } else if (kind < 7) {
      for (int i = 0; i < length; i++) {
        model[from + i] = (byte) random.nextInt(256);
        bytes.put(i, model[from + i]);
      }
      store.write(from, bytes, call, this::done);
    } else {
      java.util.Arrays.fill(model, from, to, (byte) 0);
      store.zero(from, length, random.nextBoolean(), call, this::done);
    }
  }

  private void done(Object context, StoreException failure) {
    assertThat(failure).isNull();
    Call call = (Call) context;
    assertThat(underWay.remove(call)).isTrue();
    if (call.target() != null) {
      reads++;
      for (int i = call.from(); i < call.to(); i++) {
        assertThat(call.target().get(i - call.from())).as("byte %d", i).isEqualTo(model[i]);
      }
    }
  }
}
