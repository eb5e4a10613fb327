package io.mgtm.query.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.common.Ask;
import io.mgtm.common.HostPort;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The commands that change which servers there are. */
final class MemberCommands {
  private MemberCommands() {}

  /** One that names a server, and asks for what it is called. */
  private abstract static class OfServer extends AskCommand {
    @Parameters(paramLabel = "HOST:PORT", description = "The server, as all replicators reach it.")
    HostPort server;

    @Override
    final JsonNode ask(Ask replicator) throws IOException, InterruptedException {
      return replicator.post(
          "/%s?server=%s".formatted(spec.name(), Ask.segment(server.toString())), Map.of());
    }
  }

  /** {@code mgtm query add-server}. */
  @Command(
      name = "add-server",
      description = {
        "Makes a server one of the servers, or lets one in that is out; clients go on.",
        "A copy of one that is in is given what it misses. To a server without databases they are"
            + " copied first, if the replicator's role is a superuser there. Ends when its rows"
            + " were compared and it is in, or with 1."
      },
      mixinStandardHelpOptions = true)
  static final class Add extends OfServer {
    @Override
    void show(JsonNode answer, PrintWriter out) {
      List<String> copied = new ArrayList<>();
      answer.path("databasesCopied").forEach(one -> copied.add(one.asText()));
      out.printf(
          "%s is in; %s; %d servers are in%n",
          server,
          copied.isEmpty() ? "it was a copy" : "copied: " + String.join(", ", copied),
          answer.path("serversIn").asInt());
    }
  }

  /** {@code mgtm query promote}. */
  @Command(
      name = "promote",
      description = {
        "Lets another server lead, which executes writes first; clients go on.",
        "Transactions that are open at the one that leads fail with 40001. It is out for some"
            + " seconds then, and comes back by itself."
      },
      mixinStandardHelpOptions = true)
  static final class Promote extends OfServer {
    @Override
    void show(JsonNode answer, PrintWriter out) {
      out.printf("%s leads%n", answer.path("leader").asText());
    }
  }

  /** {@code mgtm query remove-server}. */
  @Command(
      name = "remove-server",
      description = {
        "Takes a server off the list; clients go on.",
        "Of the leader, another takes its place first; transactions that are open there fail with"
            + " 40001."
      },
      mixinStandardHelpOptions = true)
  static final class Remove extends OfServer {
    @Override
    void show(JsonNode answer, PrintWriter out) {
      out.printf(
          "%s was removed; %d servers are in, %s leads%n",
          server, answer.path("serversIn").asInt(), answer.path("leader").asText());
    }
  }
}
