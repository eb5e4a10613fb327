package io.mgtm.block.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.mgtm.block.intent.BitmapFile;
import io.mgtm.block.intent.Opening;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code volume.json}: the state of a volume as JSON, sealed by {@link JsonSeal}, replaced as a
 * whole, with a spare beside it. The agent's I/O thread writes, except while opening.
 */
final class StateFile {
  private static final Logger LOG = LoggerFactory.getLogger(StateFile.class);
  private static final int VERSION = 3;

  /** Was sealed, and knew nothing of openings. */
  private static final int VERSION_SEALED = 2;

  /** Had no checksum, and knew neither the volume's id nor which copy is the newest. */
  private static final int VERSION_UNSEALED = 1;

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private record SlotFile(long sharedGeneration, boolean full, Opening heard) {}

  private record Written(
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

  /**
   * What it holds.
   *
   * @param present the opening that the bitmaps' files name
   * @param next the one that some of them name already, when an opening was cut short
   */
  record Content(VolumeState state, Opening present, Opening next) {}

  private final Path folder;
  private final Path path;

  StateFile(Path folder) {
    this.folder = folder;
    this.path = folder.resolve("volume.json");
  }

  boolean exists() {
    return Files.exists(path);
  }

  @Override
  public String toString() {
    return path.toString();
  }

  /** Reads it; what was not written yet when its version was made is empty. */
  Content read() throws IOException {
    if (!Files.isRegularFile(path)) {
      throw new IOException(damaged("it is no file"));
    }
    byte[] bytes = Files.readAllBytes(path);
    // Whoever put it there may have been killed before its name was on stable storage.
    forceFolder();
    try {
      Written file = JSON.readValue(JsonSeal.open(bytes), Written.class);
      if (file.version() < VERSION_UNSEALED) {
        throw new IOException("it names no version");
      }
      if (file.version() > VERSION) {
        throw new UnknownVersion(
            path + " has version " + file.version() + ", this program knows up to " + VERSION);
      }
      if (file.version() >= VERSION_SEALED && !JsonSeal.isSealed(bytes)) {
        throw new IOException("its checksum is missing");
      }
      return content(file);
    } catch (UnknownVersion e) {
      throw e;
    } catch (JsonProcessingException | NullPointerException | IllegalArgumentException e) {
      throw new IOException(damaged("it is not as it was written"), e);
    } catch (IOException e) {
      throw new IOException(damaged(e.getMessage()), e);
    }
  }

  /** What is wrong with it, and what to do. */
  String damaged(String how) {
    return path
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

  private static Content content(Written file) {
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
                        slot.sharedGeneration(), slot.full(), orNone(slot.heard()))));
    VolumeState state =
        new VolumeState(
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
    return new Content(state, orNone(file.bitmapsOpening()), orNone(file.nextOpening()));
  }

  private static Opening orNone(Opening opening) {
    return opening == null ? Opening.NONE : opening;
  }

  /** Writes it durably. */
  void write(Content content) throws IOException {
    VolumeState state = content.state();
    Map<String, SlotFile> slots = new HashMap<>();
    state
        .slots()
        .forEach(
            (peer, slot) ->
                slots.put(peer, new SlotFile(slot.sharedGeneration(), slot.full(), slot.heard())));
    byte[] bytes =
        JSON.writeValueAsBytes(
            new Written(
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
                content.present(),
                content.next()));
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
    Files.move(spare, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
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
    if (!exists()) {
      return false;
    }
    try {
      Files.createLink(former, path);
      return true;
    } catch (FileSystemException | UnsupportedOperationException e) {
      LOG.debug("{} has no second name, the next state needs new room", path, e);
      return false;
    }
  }
}
