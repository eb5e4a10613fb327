package io.mgtm.gtm.cli;

import io.mgtm.gtm.server.BackupFile;
import java.io.IOException;
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
    byte[] bytes = askLeader("backup", "");
    BackupFile backup;
    try {
      backup = BackupFile.decode(bytes);
    } catch (BackupFile.BadBackupException e) {
      throw new IOException("what the node sent is damaged: " + e.getMessage(), e);
    }
    Path unfinished = to.resolveSibling(to.getFileName() + ".tmp");
    try (FileChannel file =
        FileChannel.open(
            unfinished,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer from = ByteBuffer.wrap(bytes);
      while (from.hasRemaining()) {
        file.write(from);
      }
      file.force(true);
    }
    Files.move(unfinished, to, StandardCopyOption.ATOMIC_MOVE);
    return "%s holds the state at entry %d, %d bytes".formatted(to, backup.index(), bytes.length);
  }
}
