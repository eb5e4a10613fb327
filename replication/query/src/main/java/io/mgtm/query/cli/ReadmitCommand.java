package io.mgtm.query.cli;

import io.mgtm.common.Ask;
import io.mgtm.common.HostPort;
import io.mgtm.query.server.QueryServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mgtm query readmit}: lets a server in again that was put out. */
@Command(
    name = "readmit",
    description = {
      "Lets a server in again, once it was made a copy of one that is in.",
      "One replicator that is alone is stopped, and --data names its folder; its next start compares"
          + " the rows of all. Of several, the one that serves is asked, and the next that takes"
          + " over compares them."
    },
    mixinStandardHelpOptions = true)
final class ReadmitCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private final Ask at = AskCommands.replicator();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "As at the start, of a replicator that is alone and stopped.")
  private Path data;

  @Parameters(paramLabel = "HOST:PORT", description = "The server, as at the start.")
  private HostPort server;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    if (data == null) {
      at.get("/readmit?server=" + Ask.segment(server.toString()));
      out.println(
          server
              + " is let in when another replicator takes over, if its rows are those of the"
              + " others.");
    } else {
      QueryServer.readmit(data, server);
      out.println(server + " is let in at the next start, if its rows are those of the others.");
    }
    out.flush();
    return 0;
  }
}
