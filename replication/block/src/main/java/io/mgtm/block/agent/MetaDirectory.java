package io.mgtm.block.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.mgtm.block.intent.BitmapFile;
import io.mgtm.block.intent.IntentBitmap;
import io.mgtm.block.intent.Opening;
import io.mgtm.block.store.FileLocks;
import io.mgtm.block.volume.Generations;
import io.mgtm.block.volume.Openings;
import io.mgtm.block.volume.Role;
import io.mgtm.block.volume.Standing;
import io.mgtm.block.volume.VolumeState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory beside the backing file: {@code volume.json}, the state, sealed by {@link
 * JsonSeal}; {@code bitmap-NODE}, one bitmap a peer; {@code control.sock}. The agent's I/O thread
 * writes, except while opening.
 */
final class MetaDirectory implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MetaDirectory.class);
  private static final int VERSION = 3;

  /** Was sealed, and knew nothing of openings. */
  private static final int VERSION_SEALED = 2;

  /** Had no checksum, and knew neither the volume's id nor which copy is the newest. */
  private static final int VERSION_UNSEALED = 1;

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private record SlotFile(long sharedGeneration, boolean full, Opening heard) {}

  private record StateFile(
      int version,
      String name,
      String nodeId,
      long sizeBytes,
      int chunkBytes,
      Role role,
      List<Long> generations,
      boolean consistent,
      boolean discard,
      String syncingFrom,
      Map<String, SlotFile> slots,
      Standing standing,
      Openings openings,
      Opening bitmapsOpening,
      Opening nextOpening) {}

  private final Path folder;
  private final Path bitmapFolder;
  private final Map<String, BitmapFile> bitmaps = new HashMap<>();
  private FileChannel lock;

  /** The opening that the bitmaps' files name. */
  private Opening present = Opening.NONE;

  /** The one that some of them name already, when an opening was cut short. */
  private Opening next = Opening.NONE;

  MetaDirectory(Path folder, Path bitmapFolder) throws IOException {
    this.folder = folder;
    this.bitmapFolder = bitmapFolder;
    Files.createDirectories(folder);
    Files.createDirectories(bitmapFolder);
  }

  /**
   * Keeps a second agent away, which may have another file and be given these metadata by mistake.
   */
  void lock() throws IOException {
    Path file = folder.resolve("lock");
    lock = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLocks.take(file, lock);
  }

  Path folder() {
    return folder;
  }

  private Path stateFile() {
    return folder.resolve("volume.json");
  }

  boolean hasState() {
    return Files.exists(stateFile());
  }

  /** A volume that was in use has lost its state: it is not taken for a new one. */
  void refuseRemains() throws IOException {
    if (Files.exists(folder.resolve(FlushMark.NAME))) {
      throw new IOException(damaged("it is missing, though the volume was in use"));
    }
  }

  VolumeState loadState() throws IOException {
    if (!Files.isRegularFile(stateFile())) {
      throw new IOException(damaged("it is no file"));
    }
    byte[] bytes = Files.readAllBytes(stateFile());
    // Whoever put it there may have been killed before its name was on stable storage.
    forceFolder();
    try {
      StateFile file = JSON.readValue(JsonSeal.open(bytes), StateFile.class);
      if (file.version() < VERSION_UNSEALED) {
        throw new IOException("it names no version");
      }
      if (file.version() > VERSION) {
        throw new UnknownVersion(
            stateFile()
                + " has version "
                + file.version()
                + ", this program knows up to "
                + VERSION);
      }
      if (file.version() >= VERSION_SEALED && !JsonSeal.isSealed(bytes)) {
        throw new IOException("its checksum is missing");
      }
      present = file.bitmapsOpening() == null ? Opening.NONE : file.bitmapsOpening();
      next = file.nextOpening() == null ? Opening.NONE : file.nextOpening();
      Standing standing =
          file.standing() == null
              ? new Standing("", file.role() == Role.PRIMARY, false, 0)
              : file.standing();
      Map<String, VolumeState.Slot> slots = new HashMap<>();
      file.slots()
          .forEach(
              (peer, slot) ->
                  slots.put(
                      peer,
                      new VolumeState.Slot(
                          slot.sharedGeneration(),
                          slot.full(),
                          slot.heard() == null ? Opening.NONE : slot.heard())));
      return new VolumeState(
          file.name(),
          file.nodeId(),
          file.sizeBytes(),
          file.chunkBytes(),
          file.role(),
          new Generations(file.generations()),
          file.consistent(),
          file.discard(),
          file.syncingFrom(),
          slots,
          standing,
          file.openings() == null ? Openings.NONE : file.openings());
    } catch (UnknownVersion e) {
      throw e;
    } catch (JsonProcessingException | NullPointerException | IllegalArgumentException e) {
      throw new IOException(damaged("it is not as it was written"), e);
    } catch (IOException e) {
      throw new IOException(damaged(e.getMessage()), e);
    }
  }

  private String damaged(String how) {
    return stateFile()
        + " is damaged: "
        + how
        + ". Nobody can tell any more whether this copy is up to date. If another side of the"
        + " volume is, move all in "
        + folder
        + " but link.key away and start this side with --receive: it is sent wholly and follows;"
        + " where the other side is started with --resync compare, only what differs is sent. If"
        + " this copy is to be the survivor, move the same away and start it without --receive; on"
        + " every other side run 'mgtm volume demote --discard', or where that is refused do the same"
        + " and start it with --receive";
  }

  /** Another program wrote it. */
  private static final class UnknownVersion extends IOException {
    private static final long serialVersionUID = 1L;

    UnknownVersion(String message) {
      super(message);
    }
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
        stateFile());
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
    Map<String, SlotFile> slots = new HashMap<>();
    state
        .slots()
        .forEach(
            (peer, slot) ->
                slots.put(peer, new SlotFile(slot.sharedGeneration(), slot.full(), slot.heard())));
    byte[] bytes =
        JSON.writeValueAsBytes(
            new StateFile(
                VERSION,
                state.name(),
                state.nodeId(),
                state.sizeBytes(),
                state.chunkBytes(),
                state.role(),
                state.generations().ids(),
                state.consistent(),
                state.discard(),
                state.syncingFrom(),
                slots,
                state.standing(),
                state.openings(),
                present,
                next));
    replaceState(JsonSeal.seal(bytes));
  }

  /**
   * Writes the spare and puts it in the state's place, durably. What was the state becomes the next
   * spare: it has its blocks already, so that a state can be written on a file system that has no
   * room left, unless that file system never writes in place.
   */
  private void replaceState(byte[] bytes) throws IOException {
    Path spare = folder.resolve("volume.json.new");
    Path former = folder.resolve("volume.json.old");
    if (Files.exists(former) && !Files.exists(spare)) {
      Files.move(former, spare, StandardCopyOption.ATOMIC_MOVE);
    }
    writeInPlace(spare, bytes);
    Files.deleteIfExists(former);
    boolean kept = keepFormer(former);
    Files.move(
        spare, stateFile(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    if (kept) {
      Files.move(former, spare, StandardCopyOption.ATOMIC_MOVE);
    } else {
      writeInPlace(spare, bytes);
    }
    forceFolder();
  }

  private void forceFolder() throws IOException {
    try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  private static void writeInPlace(Path file, byte[] bytes) throws IOException {
    try (FileChannel out =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) {
        out.write(buffer);
      }
      out.truncate(bytes.length);
      out.force(true);
    } catch (IOException e) {
      throw BitmapFile.notWritten(file.toString(), e);
    }
  }

  /** Whether the present state has a second name; a file system without hard links gives none. */
  private boolean keepFormer(Path former) throws IOException {
    if (!hasState()) {
      return false;
    }
    try {
      Files.createLink(former, stateFile());
      return true;
    } catch (FileSystemException | UnsupportedOperationException e) {
      LOG.debug("{} has no second name, the next state needs new room", stateFile(), e);
      return false;
    }
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
