package io.mgtm.block.volume;

import io.mgtm.block.volume.Meeting.Decision;
import io.mgtm.block.volume.Meeting.Outcome;
import java.util.function.Consumer;

/**
 * How a volume takes a larger size, one at a time: there is room for its bytes, which read as
 * zeros, on stable storage; then for its bitmaps; then the state names the size, and the replicas
 * are told.
 *
 * <p>What makes room durable is a flush like any other: one that fails takes with it what clients
 * wrote, and counts as such.
 */
final class Growth {
  private final VolumeCore core;
  private final VolumeEffects effects;
  private final WritePath path;
  private final StateKeeper states;
  private boolean underWay;
  private Runnable resizing;

  /** What was said last of a size that a source has. */
  private String fitted = "";

  Growth(VolumeCore core, VolumeEffects effects, WritePath path, StateKeeper states) {
    this.core = core;
    this.effects = effects;
    this.path = path;
    this.states = states;
  }

  /** Answers null, or why the volume cannot take that size now. */
  private String refusal(long sizeBytes) {
    VolumeState state = states.current();
    if (core.isDetached()) {
      return LinkCommands.NO_DISK;
    }
    if (sizeBytes < state.sizeBytes()) {
      return "a volume of "
          + SizeText.of(state.sizeBytes())
          + " cannot shrink to "
          + SizeText.of(sizeBytes);
    }
    return core.recall().isPending() ? Administration.RECALLING : null;
  }

  void begin(long sizeBytes, Consumer<String> answer) {
    String refusal = underWay ? "a resize is under way already; try again" : refusal(sizeBytes);
    if (refusal != null) {
      answer.accept(refusal);
      return;
    }
    underWay = true;
    Consumer<String> end =
        failure -> {
          underWay = false;
          answer.accept(failure);
        };
    effects.makeRoom(
        sizeBytes,
        failure -> {
          if (failure == null) {
            flush(sizeBytes, end);
          } else {
            end.accept(failure);
          }
        });
  }

  /**
   * A copy that is empty still has the size that it was made with, and its source may have grown
   * since that was written down: it takes that size, and is met when the source tries again.
   */
  void fit(Identity source, Decision refusal) {
    long sizeBytes = source.sizeBytes();
    VolumeState state = states.current();
    if (refusal.outcome() != Outcome.UNFIT
        || !state.generations().isEmpty()
        || sizeBytes <= state.sizeBytes()) {
      return;
    }
    begin(
        sizeBytes,
        failure -> {
          String told =
              failure == null
                  ? "this copy was empty and took its source's size, " + SizeText.of(sizeBytes)
                  : "this empty copy cannot take its source's size: " + failure;
          if (!told.equals(fitted)) {
            fitted = told;
            effects.notice(told);
          }
        });
  }

  private void flush(long sizeBytes, Consumer<String> end) {
    Change flush = new Change().internal(Change.Kind.FLUSH, 0, 0);
    flush.whenDone =
        done -> {
          if (done.errno == Errno.OK) {
            growBitmaps(sizeBytes, end);
          } else {
            end.accept("the disk failed to flush, error " + done.errno + "; look after it");
          }
        };
    path.submitInternal(flush);
  }

  private void growBitmaps(long sizeBytes, Consumer<String> end) {
    effects.growBitmaps(
        VolumeState.chunksOf(sizeBytes, states.current().chunkBytes()),
        failure -> {
          String why = failure == null ? refusal(sizeBytes) : failure;
          if (why == null) {
            resizing = () -> resize(sizeBytes, end);
            core.administration().settle();
          } else {
            end.accept(why);
          }
        });
  }

  /** The bitmaps grow between two writes of them. */
  void settle() {
    if (resizing != null && !path.isWritingBits()) {
      Runnable waiting = resizing;
      resizing = null;
      waiting.run();
    }
  }

  private void resize(long sizeBytes, Consumer<String> end) {
    core.replication().grow(VolumeState.chunksOf(sizeBytes, states.current().chunkBytes()));
    states.update(
        state -> state.withSize(sizeBytes),
        () -> {
          core.replication().grown(sizeBytes);
          end.accept(null);
        });
  }
}
