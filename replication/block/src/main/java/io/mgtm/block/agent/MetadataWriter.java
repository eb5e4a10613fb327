package io.mgtm.block.agent;

import io.mgtm.block.intent.ChunkSet;
import io.mgtm.block.intent.IntentBitmap;
import io.mgtm.block.volume.VolumeCore;
import io.mgtm.block.volume.VolumeState;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a volume's metadata on a thread of its own, one after the other, and tells the core on the
 * owner's thread. Called on the owner's thread.
 */
final class MetadataWriter {
  private static final Logger LOG = LoggerFactory.getLogger(MetadataWriter.class);

  private final MetaDirectory meta;
  private final String volume;
  private final Executor owner;
  private final Executor writer;
  private long errors;
  private String error;

  MetadataWriter(MetaDirectory meta, String volume, Executor owner, Executor writer) {
    this.meta = meta;
    this.volume = volume;
    this.owner = owner;
    this.writer = writer;
  }

  /** How many writes failed. */
  long errors() {
    return errors;
  }

  /** Why the last write failed, or null when it succeeded. */
  String error() {
    return error;
  }

  /** Writes what is stale of every bitmap; answers {@link VolumeCore#bitsPersisted}. */
  void writeBits(VolumeCore core) {
    Map<String, Map<Integer, byte[]>> batch = new LinkedHashMap<>();
    core.bitmaps()
        .forEach(
            (peer, bitmap) -> {
              if (bitmap.isStale()) {
                batch.put(peer, copyPages(bitmap));
              }
            });
    int chunkBytes = core.state().chunkBytes();
    int chunks = core.state().chunks();
    write(
        () -> meta.savePages(batch, chunkBytes, chunks),
        "the bitmap",
        failure -> core.bitsPersisted(failure == null));
  }

  private static Map<Integer, byte[]> copyPages(IntentBitmap bitmap) {
    ChunkSet pages = bitmap.beginBatch();
    Map<Integer, byte[]> copies = new LinkedHashMap<>();
    for (int page = pages.next(0); page >= 0; page = pages.next(page + 1)) {
      byte[] copy = new byte[IntentBitmap.PAGE_BYTES];
      bitmap.copyPage(page, copy);
      copies.put(page, copy);
    }
    return copies;
  }

  /** Writes the state; answers {@link VolumeCore#statePersisted}. */
  void writeState(VolumeCore core, VolumeState state) {
    write(
        () -> meta.saveState(state), "the state", failure -> core.statePersisted(failure == null));
  }

  /** Gives every bitmap room for so many chunks; {@code then} is told null, or why not. */
  void grow(int chunks, Consumer<String> then) {
    write(
        () -> meta.grow(chunks),
        "a larger bitmap",
        failure -> then.accept(failure == null ? null : "the bitmaps cannot be grown: " + failure));
  }

  /** A write of metadata. */
  @FunctionalInterface
  private interface Write {
    void run() throws IOException;
  }

  private void write(Write write, String what, Consumer<String> then) {
    writer.execute(
        () -> {
          String failure = attempt(write, what);
          owner.execute(
              () -> {
                errors += failure == null ? 0 : 1;
                error = failure;
                then.accept(failure);
              });
        });
  }

  /** Answers null, or why it failed. */
  private String attempt(Write write, String what) {
    try {
      write.run();
      return null;
    } catch (IOException e) {
      String failure = what + " in " + meta.folder() + ": " + e.getMessage();
      LOG.error("volume {}: not written: {}", volume, failure);
      return failure;
    }
  }
}
