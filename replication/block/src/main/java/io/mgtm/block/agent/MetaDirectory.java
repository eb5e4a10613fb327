package io.mgtm.block.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.mgtm.block.intent.BitmapFile;
import io.mgtm.block.intent.IntentBitmap;
import io.mgtm.block.volume.Generations;
import io.mgtm.block.volume.Role;
import io.mgtm.block.volume.VolumeState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The directory beside the backing file: {@code volume.json}, the state; {@code bitmap-NODE}, one
 * bitmap a peer; {@code control.sock}. The agent's I/O thread writes, except while opening.
 */
final class MetaDirectory implements AutoCloseable {
  private static final int VERSION = 1;
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private record SlotFile(long sharedGeneration, boolean full) {}

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
      Map<String, SlotFile> slots) {}

  private final Path folder;
  private final Path bitmapFolder;
  private final Map<String, BitmapFile> bitmaps = new HashMap<>();

  MetaDirectory(Path folder, Path bitmapFolder) throws IOException {
    this.folder = folder;
    this.bitmapFolder = bitmapFolder;
    Files.createDirectories(folder);
    Files.createDirectories(bitmapFolder);
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

  VolumeState loadState() throws IOException {
    try {
      StateFile file = JSON.readValue(Files.readAllBytes(stateFile()), StateFile.class);
      if (file.version() != VERSION) {
        throw new IOException(
            stateFile() + " has version " + file.version() + ", this program knows " + VERSION);
      }
      Map<String, VolumeState.Slot> slots = new HashMap<>();
      file.slots()
          .forEach(
              (peer, slot) ->
                  slots.put(peer, new VolumeState.Slot(slot.sharedGeneration(), slot.full())));
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
          slots);
    } catch (JsonProcessingException | NullPointerException e) {
      throw new IOException(stateFile() + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** Loads the bitmap of every slot that has one; a slot without is left out. */
  Map<String, IntentBitmap> loadBitmaps(VolumeState state) throws IOException {
    Map<String, IntentBitmap> loaded = new HashMap<>();
    for (String peer : state.slots().keySet()) {
      Path path = bitmapPath(peer);
      if (Files.exists(path)) {
        IntentBitmap bitmap = new IntentBitmap(state.chunks());
        bitmaps.put(peer, BitmapFile.open(path, state.chunkBytes(), bitmap));
        loaded.put(peer, bitmap);
      }
    }
    return loaded;
  }

  private Path bitmapPath(String peer) {
    return bitmapFolder.resolve("bitmap-" + peer);
  }

  /** Writes the state durably; a bitmap exists before the slot that relies on it is known. */
  void saveState(VolumeState state) throws IOException {
    for (String peer : state.slots().keySet()) {
      bitmapFile(peer, state.chunkBytes(), state.chunks());
    }
    Map<String, SlotFile> slots = new HashMap<>();
    state
        .slots()
        .forEach(
            (peer, slot) -> slots.put(peer, new SlotFile(slot.sharedGeneration(), slot.full())));
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
                slots));
    Path temporary = folder.resolve("volume.json.new");
    try (FileChannel out =
        FileChannel.open(
            temporary,
            Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE))) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) {
        out.write(buffer);
      }
      out.force(true);
    }
    Files.move(
        temporary,
        stateFile(),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
    try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  private BitmapFile bitmapFile(String peer, int chunkBytes, int chunks) throws IOException {
    BitmapFile file = bitmaps.get(peer);
    if (file == null) {
      file = BitmapFile.create(bitmapPath(peer), chunkBytes, chunks);
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

  /** Notes in every bitmap that there are more chunks. */
  void grow(int chunkBytes, int chunks) throws IOException {
    for (BitmapFile file : bitmaps.values()) {
      file.writeHeader(chunkBytes, chunks);
    }
  }

  @Override
  public void close() throws IOException {
    for (BitmapFile file : bitmaps.values()) {
      file.close();
    }
  }
}
