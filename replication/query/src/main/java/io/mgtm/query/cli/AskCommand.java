package io.mgtm.query.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.common.Ask;
import io.mgtm.common.HostPort;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that asks a replicator that runs, and shows what it answers. */
abstract class AskCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  /** Comparing all tables takes as long as it takes. */
  @Mixin
  private final Ask at =
      new Ask("a replicator's --admin", HostPort.parse("127.0.0.1:6433"), Duration.ofDays(1));

  /** Asks. */
  abstract JsonNode ask(Ask replicator) throws IOException, InterruptedException;

  /** Shows the answer to people. */
  abstract void show(JsonNode answer, PrintWriter out);

  /** The status that the answer means. */
  int status(JsonNode answer) {
    return 0;
  }

  @Override
  public final Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    JsonNode answer = ask(at);
    if (!at.printed(answer, out)) {
      show(answer, out);
      out.flush();
    }
    return status(answer);
  }
}
