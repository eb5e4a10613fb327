package io.mgtm.query.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.common.Ask;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that ask a replicator that runs. */
final class AskCommands {
  private AskCommands() {}

  private static void table(JsonNode servers, PrintWriter out) {
    out.printf(
        "%-22s %-7s %-7s %8s %8s %10s %10s %10s  %s%n",
        "SERVER", "VERSION", "STATE", "RUNNING", "BEHIND", "READS", "WRITES", "EFFECTS", "WHY");
    for (JsonNode one : servers) {
      out.printf(
          "%-22s %-7s %-7s %8d %8s %10d %10d %10d  %s%n",
          one.path("server").asText(),
          one.path("version").asText(),
          one.path("state").asText(),
          one.path("running").asLong(),
          one.path("behind").isNull() ? "-" : one.path("behind").asText(),
          one.path("reads").asLong(),
          one.path("writes").asLong(),
          one.path("effects").asLong(),
          one.path("why").isNull() ? "" : one.path("why").asText());
    }
  }

  private static void group(JsonNode group, PrintWriter out) {
    if (group.isMissingNode()) {
      return;
    }
    String at = group.path("leaderAddress").asText("");
    String leader = group.path("leader").asText();
    out.printf(
        "%s is %s in term %d; %s%n",
        group.path("name").asText(),
        group.path("role").asText(),
        group.path("term").asLong(),
        leader.isEmpty() ? "nobody leads" : leader + " leads" + (at.isEmpty() ? "" : ", at " + at));
    for (JsonNode member : group.path("members")) {
      String behind =
          member.path("behind").isNull()
              ? ""
              : ", %d entries behind".formatted(member.path("behind").asLong());
      out.printf(
          "member %s at %s, %s%s%n",
          member.path("name").asText(),
          member.path("address").asText(),
          member.path("connected").asBoolean() ? "connected" : "not connected",
          member.path("voter").asBoolean() ? behind : ", joining");
    }
    if (group.path("forwarded").asInt() + group.path("held").asInt() > 0) {
      out.printf(
          "%d clients forwarded, %d held until a replicator serves%n",
          group.path("forwarded").asInt(), group.path("held").asInt());
    }
    if (!group.path("trouble").asText("").isEmpty()) {
      out.println(group.path("trouble").asText());
    }
    String name = group.path("name").asText();
    group.path("unready").forEach(one -> out.println(name + " " + one.asText()));
    group.path("warnings").forEach(warning -> out.println(warning.asText()));
  }

  /** {@code mgtm query servers}. */
  @Command(
      name = "servers",
      description = "Shows the servers, and why those that are out are.",
      mixinStandardHelpOptions = true)
  static final class Servers extends AskCommand {
    @Override
    JsonNode ask(Ask replicator) throws IOException, InterruptedException {
      return replicator.get("/servers");
    }

    @Override
    void show(JsonNode answer, PrintWriter out) {
      table(answer, out);
    }
  }

  /** {@code mgtm query status}. */
  @Command(
      name = "status",
      description =
          "Shows the group, the servers, and who is connected to them behind the replicator's"
              + " back.",
      mixinStandardHelpOptions = true)
  static final class Status extends AskCommand {
    @Override
    JsonNode ask(Ask replicator) throws IOException, InterruptedException {
      return replicator.get("/status");
    }

    @Override
    void show(JsonNode answer, PrintWriter out) {
      group(answer.path("group"), out);
      if (!answer.has("servers")) {
        return;
      }
      out.printf(
          "leader %s, %d servers in (at least %d to write), %d clients%n",
          answer.path("leader").asText(),
          answer.path("serversIn").asInt(),
          answer.path("serversMin").asInt(),
          answer.path("sessions").asInt());
      table(answer.path("servers"), out);
      answer.path("captures").forEach(one -> out.println("capture of rows in " + one.asText()));
      if (!answer.path("adding").asText("").isEmpty()) {
        out.println("adding " + answer.path("adding").asText());
      }
      for (JsonNode foreign : answer.path("foreignBackends")) {
        out.println("not of the replicator: " + foreign.asText());
      }
    }
  }

  /** {@code mgtm query verify}. */
  @Command(
      name = "verify",
      description = "Compares all tables of the servers that are in; ends with 1 when some differ.",
      mixinStandardHelpOptions = true)
  static final class Verify extends AskCommand {
    @Override
    JsonNode ask(Ask replicator) throws IOException, InterruptedException {
      return replicator.get("/verify");
    }

    @Override
    void show(JsonNode answer, PrintWriter out) {
      out.printf(
          "%d servers compared, %d rows different%n",
          answer.path("servers").asInt(), answer.path("rowsDifferent").asLong());
      answer.path("differences").forEach(one -> out.println(one.asText()));
    }

    @Override
    int status(JsonNode answer) {
      return answer.path("differences").isEmpty() ? 0 : 1;
    }
  }

  /** {@code mgtm query explain}. */
  @Command(
      name = "explain",
      description = "Tells the class of statements, why, and where they run.",
      mixinStandardHelpOptions = true)
  static final class Explain extends AskCommand {
    @Option(names = "--database", required = true, description = "Where its tables are.")
    private String database;

    @Parameters(paramLabel = "SQL", description = "One statement or several.")
    private String sql;

    @Override
    JsonNode ask(Ask replicator) throws IOException, InterruptedException {
      return replicator.get(
          "/explain?database=" + Ask.segment(database) + "&sql=" + Ask.segment(sql));
    }

    @Override
    void show(JsonNode answer, PrintWriter out) {
      for (JsonNode one : answer) {
        out.printf("%s: %s%n", one.path("class").asText(), one.path("why").asText());
        if (one.path("refused").isNull()) {
          out.println("  runs at " + one.path("runs").asText());
        } else {
          out.println("  refused: " + one.path("refused").asText());
          out.println("  instead: " + one.path("instead").asText());
        }
      }
    }
  }
}
