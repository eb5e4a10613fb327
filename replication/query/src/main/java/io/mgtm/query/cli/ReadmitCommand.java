package io.mgtm.query.cli;

import io.mgtm.common.HostPort;
import io.mgtm.query.server.QueryServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mgtm query readmit}: lets a server in again that was put out. */
@Command(
    name = "readmit",
    description =
        "Lets a server in again, once it was made a copy of one that is in, while the replicator is"
            + " stopped. The next start compares the rows of all.",
    mixinStandardHelpOptions = true)
final class ReadmitCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--data", paramLabel = "DIR", required = true, description = "As at the start.")
  private Path data;

  @Parameters(paramLabel = "HOST:PORT", description = "The server, as at the start.")
  private HostPort server;

  @Override
  public Integer call() throws IOException {
    QueryServer.readmit(data, server);
    PrintWriter out = spec.commandLine().getOut();
    out.println(server + " is let in at the next start, if its rows are those of the others.");
    out.flush();
    return 0;
  }
}
