package io.mgtm.gtm.cli;

import io.mgtm.common.FileErrors;
import io.mgtm.gtm.node.backup.BackupFile;
import io.mgtm.gtm.node.backup.Restore;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm gtm restore}: fills a new data folder with a backup. */
@Command(
    name = "restore",
    description =
        "Fills a new data folder with a backup, for a new group (on each of its members) or a"
            + " GTM of its own.",
    mixinStandardHelpOptions = true)
final class RestoreCommand implements Callable<Integer> {
  private static final long SKIP_MAX = 1_000_000_000;

  @Spec private CommandSpec spec;

  @Option(names = "--from", paramLabel = "FILE", required = true, description = "The backup.")
  private Path from;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = "The data folder; empty, or not there yet.")
  private Path data;

  @Option(
      names = "--skip-gxids",
      paramLabel = "N",
      description =
          "Pass over N gxids more than the backup had reserved: at least as many as were given"
              + " since it was taken. The same on every member. Default: none.")
  private long skipGxids;

  @Override
  public Integer call() throws IOException {
    if (skipGxids < 0 || skipGxids > SKIP_MAX) {
      throw new CommandLine.ParameterException(
          spec.commandLine(),
          "--skip-gxids: %d is not allowed, expected 0 to %d".formatted(skipGxids, SKIP_MAX));
    }
    BackupFile backup;
    BackupFile.Content content;
    try {
      backup = BackupFile.open(from);
      content = skipGxids == 0 ? backup::writeTo : backup.skipping(skipGxids);
    } catch (IOException e) {
      throw new IOException("cannot read the backup " + from + ": " + FileErrors.reason(e), e);
    } catch (BackupFile.BadBackupException e) {
      throw new IOException(from + ": " + e.getMessage(), e);
    }
    Restore.place(data, content);
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        "%s holds %s; start the GTM on it".formatted(data, Restore.pending(data).inWords()));
    out.flush();
    return 0;
  }
}
