package io.mgtm.block.agent;

import io.mgtm.block.intent.BitmapFile;
import io.mgtm.block.intent.IntentBitmap;
import io.mgtm.block.intent.Opening;
import io.mgtm.block.store.FileLocks;
import io.mgtm.block.volume.Role;
import io.mgtm.block.volume.VolumeState;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory beside the backing file: {@code volume.json}, the {@link StateFile}; {@code
 * bitmap-NODE}, one bitmap a peer; {@code control.sock}. The agent's I/O thread writes, except
 * while opening.
 */
final class MetaDirectory implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MetaDirectory.class);
  private final Path folder;
  private final Path bitmapFolder;
  private final StateFile file;
  private final Map<String, BitmapFile> bitmaps = new HashMap<>();
  private FileChannel lock;

  /** The opening that the bitmaps' files name. */
  private Opening present = Opening.NONE;

  /** The one that some of them name already, when an opening was cut short. */
  private Opening next = Opening.NONE;

  MetaDirectory(Path folder, Path bitmapFolder) throws IOException {
    this.folder = folder;
    this.bitmapFolder = bitmapFolder;
    this.file = new StateFile(folder);
    Files.createDirectories(folder);
    Files.createDirectories(bitmapFolder);
  }

  /**
   * Keeps a second agent away, which may have another file and be given these metadata by mistake.
   */
  void lock() throws IOException {
    Path path = folder.resolve("lock");
    lock = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLocks.take(path, lock);
  }

  Path folder() {
    return folder;
  }

  boolean hasState() {
    return file.exists();
  }

  /** A volume that was in use has lost its state: it is not taken for a new one. */
  void refuseRemains() throws IOException {
    if (Files.exists(folder.resolve(FlushMark.NAME))) {
      throw new IOException(file.damaged("it is missing, though the volume was in use"));
    }
  }

  VolumeState loadState() throws IOException {
    StateFile.Content content = file.read();
    present = content.present();
    next = content.next();
    return content.state();
  }

  /**
   * What opening the bitmaps made of a state.
   *
   * @param state the state, which is on stable storage
   * @param bitmaps by peer, one for each slot
   */
  record Loaded(VolumeState state, Map<String, IntentBitmap> bitmaps) {}

  /**
   * Opens these metadata once more: loads the bitmap of every slot, and has all files name a new
   * opening. The peer of a bitmap that is missing, damaged or of another opening is to be compared
   * wholly; that is on stable storage before the bitmap is made anew. Bitmaps of a later opening
   * than the state's mean that the state was put back from an earlier time.
   */
  Loaded loadBitmaps(VolumeState state) throws IOException {
    Map<String, IntentBitmap> loaded = new HashMap<>();
    VolumeState known = state;
    for (Map.Entry<String, VolumeState.Slot> slot : state.slots().entrySet()) {
      String peer = slot.getKey();
      IntentBitmap bitmap = new IntentBitmap(state.chunks());
      try {
        BitmapFile file = BitmapFile.open(bitmapPath(peer), state.chunkBytes(), bitmap);
        bitmaps.put(peer, file);
        known = later(known, file.opening());
        checkOpening(file);
      } catch (BitmapFile.Damage e) {
        LOG.warn(
            "volume {}: {}; every chunk is compared with node {}, and what differs is sent",
            state.name(),
            e.getMessage(),
            peer);
        bitmap = new IntentBitmap(state.chunks());
        known = known.withSlot(peer, known.slots().get(peer).withFull(true));
      }
      loaded.put(peer, bitmap);
    }
    if (!known.openings().equals(state.openings()) || next.count() == 0) {
      next = known.openings().with(newId()).newest();
    }
    writeState(known);
    for (Map.Entry<String, IntentBitmap> bitmap : loaded.entrySet()) {
      bitmapFile(bitmap.getKey(), state.chunkBytes(), state.chunks())
          .begin(bitmap.getValue(), next);
    }
    known = known.withOpenings(known.openings().with(next.id()));
    present = next;
    next = Opening.NONE;
    writeState(known);
    return new Loaded(known, loaded);
  }

  /** The state, or what it is worth where a bitmap was written in a later opening. */
  private VolumeState later(VolumeState state, Opening of) {
    if (of.count() <= Math.max(present.count(), next.count())
        || of.count() <= state.openings().count()) {
      return state;
    }
    LOG.error(
        "volume {}: {} is of an earlier time than the bitmaps beside it; every chunk is compared"
            + " with every replica, and this copy counts as outdated",
        state.name(),
        file);
    return state.older(of, newId(), state.role() == Role.PRIMARY);
  }

  private void checkOpening(BitmapFile file) throws BitmapFile.Damage {
    Opening of = file.opening();
    if (!of.equals(present) && (next.count() == 0 || !of.equals(next))) {
      throw new BitmapFile.Damage(
          file
              + " is not of the metadata's present opening: it, or the state beside it, was put back"
              + " from an earlier time or from elsewhere");
    }
  }

  private static long newId() {
    return new SecureRandom().nextLong();
  }

  private Path bitmapPath(String peer) {
    return bitmapFolder.resolve("bitmap-" + peer);
  }

  /**
   * Writes the state durably; a bitmap exists, and covers the volume, before the state that relies
   * on it is known.
   */
  void saveState(VolumeState state) throws IOException {
    for (String peer : state.slots().keySet()) {
      bitmapFile(peer, state.chunkBytes(), state.chunks()).grow(state.chunks());
    }
    writeState(state);
  }

  private void writeState(VolumeState state) throws IOException {
    file.write(new StateFile.Content(state, present, next));
  }

  private BitmapFile bitmapFile(String peer, int chunkBytes, int chunks) throws IOException {
    BitmapFile file = bitmaps.get(peer);
    if (file == null) {
      file = BitmapFile.create(bitmapPath(peer), chunkBytes, chunks, present);
      bitmaps.put(peer, file);
    }
    return file;
  }

  /** Writes pages of bitmaps durably. */
  void savePages(Map<String, Map<Integer, byte[]>> pagesByPeer, int chunkBytes, int chunks)
      throws IOException {
    for (Map.Entry<String, Map<Integer, byte[]>> pages : pagesByPeer.entrySet()) {
      bitmapFile(pages.getKey(), chunkBytes, chunks).write(pages.getValue());
    }
  }

  /** Gives every bitmap room for so many chunks, durably. */
  void grow(int chunks) throws IOException {
    for (BitmapFile file : bitmaps.values()) {
      file.grow(chunks);
    }
  }

  @Override
  public void close() throws IOException {
    for (BitmapFile file : bitmaps.values()) {
      file.close();
    }
    if (lock != null) {
      lock.close();
    }
  }
}
