package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.server.TestGtm;
import io.mgtm.gtm.server.TestNodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** An operator's commands to a group, at any of its nodes. */
@Timeout(120)
class GroupCommandsIT {
  @TempDir private Path folder;
  private TestNodes nodes;

  private record Result(int status, String out, String err) {}

  @BeforeEach
  void start() throws IOException {
    nodes = TestNodes.three(folder).startAll();
    nodes.leader();
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private static Result run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = GtmMain.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    int status = line.execute(arguments);
    return new Result(status, out.toString(), err.toString());
  }

  private Result ask(String node, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--at", "127.0.0.1:" + nodes.server(node).address().getPort()));
    return run(all.toArray(String[]::new));
  }

  private static JsonNode json(Result result) {
    try {
      return new ObjectMapper().readTree(result.out());
    } catch (JsonProcessingException e) {
      throw new AssertionError(result.out(), e);
    }
  }

  private static void done(Result result, String says) {
    assertThat(result.err()).isEmpty();
    assertThat(result.status()).isZero();
    assertThat(result.out()).contains(says);
  }

  @Test
  void statusShowsTheGroupAtEveryNode() throws IOException {
    String leader = nodes.leader();
    for (String node : List.of("g1", "g2", "g3")) {
      Result text = ask(node, "status");
      done(text, "leader          " + leader + " at 127.0.0.1:");
      assertThat(text.out())
          .contains("member          " + node + ", ")
          .contains("of a fifo group")
          .contains("g3 votes, ")
          .contains("entries behind, connected")
          .contains("next gxid       10000");
      JsonNode group = json(ask(node, "status", "--json")).get("group");
      assertThat(group.get("leader").asText()).isEqualTo(leader);
      assertThat(group.get("term").asLong()).isPositive();
      assertThat(group.get("members")).hasSize(3);
      assertThat(group.get("mode").asText()).isEqualTo("fifo");
    }
  }

  /** A follower hears who leads before it hears where. */
  @Test
  void statusOfANodeThatServesSaysWhereTheLeaderIs() throws IOException {
    nodes.close();
    nodes = TestNodes.three(folder.resolve("new")).startAll();
    Set<String> asked = new HashSet<>();
    TestGtm.await(
        "every node to serve",
        () -> {
          for (String node : List.of("g1", "g2", "g3")) {
            JsonNode status = json(ask(node, "status", "--json"));
            if (status.has("nextGxid")) {
              asked.add(node);
              assertThat(status.get("group").get("leaderAddress").asText())
                  .as(node)
                  .startsWith("127.0.0.1:");
            }
          }
          return asked.size() == 3;
        });
  }

  @Test
  void listsAreServedAtEveryNode() throws IOException {
    try (GtmClient client = GtmClient.connect(nodes.server("g1").address())) {
      client.createSequence(GtmClient.sequenceKey("d.public.s"));
      int gxid = client.begin();
      for (String node : List.of("g1", "g2", "g3")) {
        done(ask(node, "txns"), Integer.toString(gxid));
        done(ask(node, "sequences"), "d.public.s");
        done(ask(node, "prepared"), "");
        done(ask(node, "nodes"), "");
      }
    }
  }

  @Test
  void theLeadershipIsTransferred() {
    String to = nodes.follower();
    nodes.awaitInStep(to);
    done(ask(to, "transfer", to), to + " leads");
    assertThat(nodes.leader()).isEqualTo(to);
    done(ask(to, "transfer", to), to + " leads");
    Result refused = ask(to, "transfer", "g9");
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.err()).contains("g9 is not another voting member of the group");
  }

  @Test
  void membersComeAndGo() {
    String gone = nodes.follower();
    done(ask(nodes.leader(), "remove", gone), gone + " leaves the group");
    done(ask(nodes.leader(), "add", "g4=127.0.0.1:1"), "g4 may join");
    assertThat(ask(nodes.leader(), "add", "g4").err()).contains("expected NAME=HOST:PORT");
    assertThat(ask(nodes.leader(), "accept-loss").err()).contains("--yes");
    done(ask(nodes.leader(), "accept-loss", "--yes"), "may now elect a leader");
  }

  @Test
  void aBackupIsTakenAndRestored() throws IOException {
    try (GtmClient client = GtmClient.connect(nodes.server("g2").address())) {
      client.createSequence(GtmClient.sequenceKey("d.public.s"));
    }
    Path file = folder.resolve("backup");
    done(ask(nodes.follower(), "backup", "--to", file.toString()), "holds the state at entry");
    assertThat(ask("g1", "backup", "--to", file.toString()).err()).contains("exists already");
    Path data = folder.resolve("new");
    done(
        run("restore", "--from", file.toString(), "--data", data.toString()),
        "holds the backup at entry");
    assertThat(run("restore", "--from", file.toString(), "--data", data.toString()).err())
        .contains("is not empty");
    Path skipping = folder.resolve("skipping");
    done(
        run(
            "restore",
            "--from",
            file.toString(),
            "--data",
            skipping.toString(),
            "--skip-gxids",
            "7"),
        "holds the backup at entry");
    assertThat(run("restore", "--from", "f", "--data", "d", "--skip-gxids", "-1").err())
        .contains("--skip-gxids: -1 is not allowed, expected 0 to 1000000000");
    byte[] damaged = Files.readAllBytes(file);
    damaged[50] ^= 1;
    Files.write(file, damaged);
    assertThat(
            run("restore", "--from", file.toString(), "--data", folder.resolve("other").toString())
                .err())
        .contains("its checksum does not fit");
  }
}
