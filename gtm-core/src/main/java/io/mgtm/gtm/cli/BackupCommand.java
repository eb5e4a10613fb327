package io.mgtm.gtm.cli;

import io.mgtm.group.GroupMode;
import io.mgtm.group.storage.DiskFiles;
import io.mgtm.gtm.node.backup.BackupFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mgtm gtm backup}: the whole state, at one moment, in a file. */
@Command(
    name = "backup",
    description =
        "Writes the whole state, as of one moment, to a file: that of the running group, or, with"
            + " --from-data, what a stopped member's folder holds.")
final class BackupCommand extends AdminCommand {
  private static final String FROM_DATA = "--from-data";
  private static final String MODE = "--mode";

  @Option(
      names = "--to",
      paramLabel = "FILE",
      required = true,
      description = "The file to write; it must not exist.")
  private Path to;

  @Option(
      names = FROM_DATA,
      paramLabel = "DIR",
      description =
          "The data folder of a stopped member, which is not changed: for a group that has lost"
              + " its majority for good. In place of the options that say where a GTM listens.")
  private Path fromData;

  @Option(
      names = MODE,
      paramLabel = "MODE",
      completionCandidates = Modes.class,
      converter = Modes.class,
      description = "With --from-data: how the group replicated. To be said of lazy and total.")
  private GroupMode mode;

  @Override
  String run() throws IOException {
    if (fromData != null) {
      refuseBeside(FROM_DATA, Set.of("--to", MODE));
    } else if (mode != null) {
      throw bad(MODE + " is said with " + FROM_DATA + " only");
    }
    if (Files.exists(to)) {
      throw new IOException(to + " exists already; choose another file with --to");
    }
    Path parent = to.toAbsolutePath().getParent();
    if (!Files.isDirectory(parent)) {
      throw new IOException(
          "cannot write %s: there is no folder %s; make it, or choose another with --to"
              .formatted(to, parent));
    }
    if (fromData != null && parent.toRealPath().startsWith(fromData.toRealPath())) {
      throw new IOException(to + " is in the folder that is read; choose another with --to");
    }
    Path unfinished = to.resolveSibling(to.getFileName() + ".tmp");
    try {
      String missing = write(unfinished);
      BackupFile backup = opened(unfinished);
      Files.move(unfinished, to, StandardCopyOption.ATOMIC_MOVE);
      DiskFiles.forceDirectory(parent);
      return "%s holds the state at entry %d, %d bytes%s"
          .formatted(to, backup.index(), backup.bytes(), missing);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  /** Writes the file as it comes, and says what may be missing in it. */
  private String write(Path unfinished) throws IOException {
    Path copy = to.resolveSibling(unfinished.getFileName() + "-folder");
    FolderBackup folder = fromData == null ? null : FolderBackup.read(fromData, copy, mode);
    try (FileChannel file =
        FileChannel.open(
            unfinished,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      OutputStream into = new IntoFile(file);
      if (folder == null) {
        askLeader("backup", "", into);
      } else {
        folder.writeTo(into);
      }
      file.force(true);
    }
    return folder == null ? "" : folder.missing();
  }

  private static BackupFile opened(Path unfinished) throws IOException {
    try {
      return BackupFile.open(unfinished);
    } catch (BackupFile.BadBackupException e) {
      throw new IOException("what was written is damaged: " + e.getMessage(), e);
    }
  }

  /** Tells errors of the file from those of the link. */
  private final class IntoFile extends OutputStream {
    private final FileChannel file;

    IntoFile(FileChannel file) {
      this.file = file;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      ByteBuffer left = ByteBuffer.wrap(bytes, from, length);
      try {
        while (left.hasRemaining()) {
          file.write(left);
        }
      } catch (IOException e) {
        throw new IOException("cannot write %s: %s".formatted(to, e.getMessage()), e);
      }
    }
  }
}
