package io.mgtm.block.agent;

import io.mgtm.block.config.VolumeConfig;
import io.mgtm.block.intent.BitmapFile;
import io.mgtm.block.store.BackingStore;
import io.mgtm.block.volume.Generations;
import io.mgtm.block.volume.Role;
import io.mgtm.block.volume.SizeText;
import io.mgtm.block.volume.VolumeState;
import io.mgtm.block.wire.LinkKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.Executor;

/** Opens, and where they do not exist yet creates, a volume's backing file and state. */
public final class VolumeFiles {
  private VolumeFiles() {}

  /**
   * Creates a volume without serving it.
   *
   * @return the key of its links if one was made, which the other copies need; null if it was given
   * @throws IOException when it exists already or cannot be written
   */
  public static String create(VolumeConfig config) throws IOException {
    boolean made = !Files.exists(config.meta());
    try {
      return createIn(config);
    } catch (IOException e) {
      if (made && Files.exists(config.meta())) {
        remove(config.meta());
      }
      throw e;
    }
  }

  private static void remove(Path folder) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  private static String createIn(VolumeConfig config) throws IOException {
    try (MetaDirectory meta = new MetaDirectory(config.meta(), config.bitmaps())) {
      if (meta.hasState()) {
        throw new IOException("volume " + config.name() + " exists already in " + config.meta());
      }
      // Before the state, by which a volume exists: none is without its key.
      LinkKey given = LinkKeys.load(config.meta(), config.linkKey());
      String made = given == null ? LinkKeys.make(config.meta()).toHex() : null;
      try (BackingStore store = openStore(config, meta, Runnable::run)) {
        openState(config, meta, store);
      }
      return made;
    }
  }

  static BackingStore openStore(VolumeConfig config, MetaDirectory meta, Executor owner)
      throws IOException {
    if (!Files.exists(config.file())) {
      if (meta.hasState()) {
        throw new IOException(
            config.file()
                + " is missing though "
                + config.meta()
                + " knows it; bring it back, or move all in that directory but link.key away and"
                + " start this side with --receive, to be sent wholly");
      }
      if (config.sizeBytes() == 0) {
        throw new IOException(config.file() + " does not exist; give --size to create it");
      }
      try (FileChannel file =
          FileChannel.open(
              config.file(),
              Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
        file.write(ByteBuffer.allocate(1), config.sizeBytes() - 1);
        file.force(true);
      } catch (FileSystemException e) {
        throw e;
      } catch (IOException e) {
        throw BitmapFile.notWritten(config.file().toString(), e);
      }
    }
    return config.io().open(config.file(), owner);
  }

  static VolumeState openState(VolumeConfig config, MetaDirectory meta, BackingStore store)
      throws IOException {
    VolumeState state = meta.hasState() ? meta.loadState() : null;
    if (state == null) {
      meta.refuseRemains();
      state = fresh(config, store);
      meta.saveState(state);
    } else if (state.role() == Role.PRIMARY && state.standing().volumeId().isEmpty()) {
      // A folder from before volumes had ids: its primary names it, the others take the id over.
      // It is written with the bitmaps, which are not open yet.
      state = state.withStanding(state.standing().orOf(newVolumeId()));
    }
    if (!state.name().equals(config.name())) {
      throw new IOException(
          config.meta() + " belongs to volume " + state.name() + ", not " + config.name());
    }
    if (config.chunkBytes() != 0 && config.chunkBytes() != state.chunkBytes()) {
      throw new IOException(
          "volume "
              + state.name()
              + " has chunks of "
              + SizeText.of(state.chunkBytes())
              + ", not "
              + SizeText.of(config.chunkBytes())
              + "; start it without --chunk-size");
    }
    if (config.sizeBytes() != 0 && config.sizeBytes() != state.sizeBytes()) {
      throw new IOException(
          "volume "
              + state.name()
              + " has "
              + SizeText.of(state.sizeBytes())
              + ", not "
              + SizeText.of(config.sizeBytes())
              + "; start it without --size; 'mgtm volume resize' makes it larger");
    }
    if (store.sizeBytes() < state.sizeBytes()) {
      throw new IOException(
          config.file()
              + " has "
              + SizeText.of(store.sizeBytes())
              + ", less than the volume's "
              + SizeText.of(state.sizeBytes())
              + "; bring back what is missing, or move the metadata away and start this side with"
              + " --receive, to be sent wholly");
    }
    return state;
  }

  private static VolumeState fresh(VolumeConfig config, BackingStore store) throws IOException {
    long size =
        config.sizeBytes() == 0
            ? store.sizeBytes() / VolumeState.SECTOR_BYTES * VolumeState.SECTOR_BYTES
            : config.sizeBytes();
    if (size == 0 || store.sizeBytes() < size) {
      throw new IOException(
          config.file()
              + " has "
              + SizeText.of(store.sizeBytes())
              + ", too little for a volume"
              + (config.sizeBytes() == 0
                  ? ", which has one sector of " + VolumeState.SECTOR_BYTES + " bytes at least"
                  : " of " + SizeText.of(config.sizeBytes())));
    }
    boolean target = config.receive() != null;
    long id = new SecureRandom().nextLong();
    Generations generations = target ? Generations.NONE : Generations.NONE.with(id == 0 ? 1 : id);
    VolumeState state =
        VolumeState.fresh(
            config.name(),
            NodeName.make(),
            size,
            config.chunkBytes() == 0 ? VolumeConfig.CHUNK_BYTES_MIN : config.chunkBytes(),
            target ? Role.SECONDARY : Role.PRIMARY,
            generations);
    return target ? state : state.withStanding(state.standing().orOf(newVolumeId()));
  }

  private static String newVolumeId() {
    return Long.toHexString(new SecureRandom().nextLong());
  }
}
