package io.mgtm.gtm.cli;

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
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mgtm gtm backup}: the whole state, at one moment, in a file. */
@Command(name = "backup", description = "Writes the whole state, as of one moment, to a file.")
final class BackupCommand extends AdminCommand {
  @Option(
      names = "--to",
      paramLabel = "FILE",
      required = true,
      description = "The file to write; it must not exist.")
  private Path to;

  @Override
  String run() throws IOException {
    if (Files.exists(to)) {
      throw new IOException(to + " exists already; choose another file with --to");
    }
    Path parent = to.toAbsolutePath().getParent();
    if (!Files.isDirectory(parent)) {
      throw new IOException(
          "cannot write %s: there is no folder %s; make it, or choose another with --to"
              .formatted(to, parent));
    }
    Path unfinished = to.resolveSibling(to.getFileName() + ".tmp");
    try {
      BackupFile backup = write(unfinished);
      Files.move(unfinished, to, StandardCopyOption.ATOMIC_MOVE);
      DiskFiles.forceDirectory(parent);
      return "%s holds the state at entry %d, %d bytes"
          .formatted(to, backup.index(), backup.bytes());
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  /** Writes the file as it comes, and reads through it. */
  private BackupFile write(Path unfinished) throws IOException {
    try (FileChannel file =
        FileChannel.open(
            unfinished,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      askLeader("backup", "", new IntoFile(file));
      file.force(true);
    }
    try {
      return BackupFile.open(unfinished);
    } catch (BackupFile.BadBackupException e) {
      throw new IOException("what the node sent is damaged: " + e.getMessage(), e);
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
