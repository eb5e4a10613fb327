package io.mgtm.ha.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What commands share that show something of the cluster's status. */
abstract class StatusView implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private AskController ask;

  /**
   * What is shown of it.
   *
   * @throws IOException when it has no such thing
   */
  JsonNode shown(JsonNode view) throws IOException {
    return view;
  }

  /** Prints what is shown as a person reads it. */
  abstract void print(JsonNode shown, PrintWriter out);

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    JsonNode shown = shown(ask.get("/v1/status"));
    if (!ask.printed(shown, out)) {
      print(shown, out);
      out.flush();
    }
    return 0;
  }
}
