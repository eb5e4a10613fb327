package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.node.TestNodes;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** An operator's commands to a group, at any of its nodes. */
class GroupCommandsIT {
  @TempDir private static Path folder;
  @AutoClose private static TestNodes nodes;

  private record Result(int status, String out, String err) {}

  @BeforeAll
  static void start() throws IOException {
    nodes = TestNodes.three(folder).startAll();
  }

  @BeforeEach
  void awaitLeader() {
    nodes.leader();
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

  private static Result ask(String node, String... arguments) {
    return ask(nodes, node, arguments);
  }

  private static Result ask(TestNodes of, String node, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--at", OwnAddress.HOST + ":" + of.server(node).address().getPort()));
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
    int next;
    try (GtmClient client = GtmClient.connect(nodes.server(leader).address())) {
      next = client.nextGxid();
    }
    for (String node : List.of("g1", "g2", "g3")) {
      Result text = ask(node, "status");
      done(text, "leader          " + leader + " at " + OwnAddress.HOST);
      assertThat(text.out())
          .contains("member          " + node + ", ")
          .contains("of a fifo group")
          .contains("g3 votes, ")
          .contains("entries behind, connected")
          .contains("next gxid       " + next);
      JsonNode group = json(ask(node, "status", "--json")).get("group");
      assertThat(group.get("leader").asText()).isEqualTo(leader);
      assertThat(group.get("term").asLong()).isPositive();
      assertThat(group.get("members")).hasSize(3);
      assertThat(group.get("mode").asText()).isEqualTo("fifo");
      for (JsonNode member : group.get("members")) {
        assertThat(member.get("groupAddress").asText()).startsWith("127.");
      }
    }
  }

  @Test
  void awaitInSyncEndsWhenAllAreThere() throws IOException {
    String away = nodes.follower();
    done(ask(nodes.leader(), "await-in-sync"), "g1, g2, g3: in sync at entry ");
    nodes.stop(away);
    assertThat(ask(nodes.leader(), "await-in-sync", "--wait-ms", "1").err())
        .contains("not in sync after 1 ms: " + away + " ");
    // At once.
    assertThat(ask(nodes.leader(), "await-in-sync", "--wait-ms", "3600000", "g9").err())
        .contains("g9 is not a member of the group; its members are g1, g2, g3");
    nodes.start(away);
    done(ask(away, "await-in-sync"), "g1, g2, g3: in sync at entry ");
    String other = nodes.leader();
    done(ask(away, "await-in-sync", other), other + ": in sync at entry ");
  }

  @Test
  void statusOfAMemberThatNobodyLeadsSaysSo() throws IOException {
    String left = nodes.follower();
    for (String other : List.of("g1", "g2", "g3")) {
      if (!other.equals(left)) {
        nodes.stop(other);
      }
    }
    Await.until("nobody leads", () -> nodes.status(left).leader().isEmpty());
    Result text = ask(left, "status");
    assertThat(text.status()).isEqualTo(1);
    assertThat(text.out())
        .contains("does not serve  no member leads the group")
        .contains("asked over the link only: no member leads the group");
    JsonNode json = json(ask(left, "status", "--json"));
    assertThat(json.get("group").get("trouble").asText()).isEqualTo("no member leads the group");
    for (String other : List.of("g1", "g2", "g3")) {
      if (!other.equals(left)) {
        nodes.start(other);
      }
    }
    done(ask(nodes.leader(), "await-in-sync"), "g1, g2, g3: in sync at entry ");
  }

  @Test
  void backupIntoNoFolderSaysSo() {
    Result refused = ask("g1", "backup", "--to", folder.resolve("none/b1").toString());
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.err()).contains("there is no folder").contains("choose another with --to");
  }

  /** A follower hears who leads before it hears where. */
  @Test
  void statusOfANodeThatServesSaysWhereTheLeaderIs() throws IOException {
    Set<String> asked = new HashSet<>();
    try (TestNodes young = TestNodes.three(folder.resolve("young")).startAll()) {
      Await.until(
          "every node to serve",
          () -> {
            for (String node : List.of("g1", "g2", "g3")) {
              JsonNode status = json(ask(young, node, "status", "--json"));
              if (status.has("nextGxid")) {
                asked.add(node);
                assertThat(status.get("group").get("leaderAddress").asText())
                    .as(node)
                    .startsWith(OwnAddress.HOST + ":");
              }
            }
            return asked.size() == 3;
          });
    }
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

  private boolean isTurnedAway(String node) {
    try (GtmClient client = GtmClient.connect(nodes.server(node).address())) {
      return !isServed(client);
    } catch (IOException e) {
      return true;
    }
  }

  private static boolean isServed(GtmClient client) {
    try {
      client.nextGxid();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void theDurabilityIsOfTheGroup() {
    done(ask(nodes.follower(), "durability", "all"), "durability all");
    for (String node : List.of("g1", "g2", "g3")) {
      Await.until(
          node + " to hear of it", () -> ask(node, "status").out().contains("durability all"));
    }
    done(ask(nodes.leader(), "durability", "critical"), "durability critical");
    assertThat(ask(nodes.leader(), "durability", "some").err()).contains("critical");
  }

  private static String groupAddress(String name) {
    for (JsonNode member : json(ask(name, "status", "--json")).get("group").get("members")) {
      if (member.get("name").asText().equals(name)) {
        return member.get("groupAddress").asText();
      }
    }
    throw new AssertionError(name + " is none of the members");
  }

  @Test
  void membersComeAndGo() throws IOException {
    String gone = nodes.follower();
    String address = groupAddress(gone);
    try (GtmClient served = GtmClient.connect(nodes.server(gone).address())) {
      int open = served.begin();
      done(ask(nodes.leader(), "remove", gone), gone + " leaves the group");
      Await.until("it knows", () -> nodes.status(gone).role().equals("outsider"));
      assertThat(nodes.status(gone).warnings()).anyMatch(w -> w.contains("is not a member of the"));
      assertThat(served.commit(open)).as("what was begun before it left").isTrue();
      Await.until("who was served before is turned away", () -> !isServed(served));
    }
    Await.until("its clients are turned away", () -> isTurnedAway(gone));
    Result outside = ask(gone, "status");
    assertThat(outside.status()).isEqualTo(1);
    assertThat(outside.out())
        .contains("does not serve  " + gone + " is not a member of the group")
        .contains("asked over the link only: ");
    done(ask(nodes.leader(), "add", "--wait-ms", "0", "g4=127.0.0.1:1"), "g4 may join");
    Result absent = ask(nodes.leader(), "add", "--wait-ms", "1", "g4=127.0.0.1:1");
    assertThat(absent.status()).isEqualTo(1);
    assertThat(absent.err()).contains("g4 may join, and is not connected: start it");
    done(ask(nodes.leader(), "remove", "g4"), "g4 leaves the group");
    // It still runs, and joins again on the folder that it has.
    done(ask(nodes.leader(), "add", gone + "=" + address), gone + " has joined the group");
    assertThat(ask(nodes.leader(), "add", "g4").err()).contains("expected NAME=HOST:PORT");
    assertThat(ask(nodes.leader(), "accept-loss").err()).contains("--yes");
    assertThat(ask(nodes.leader(), "accept-loss", "--yes").err()).contains("waits for nobody");
  }

  @Test
  void aBackupIsTakenAndRestored() throws IOException {
    try (GtmClient client = GtmClient.connect(nodes.server("g2").address())) {
      client.createSequence(GtmClient.sequenceKey("d.public.backed_up"));
    }
    Path file = folder.resolve("backup");
    done(ask(nodes.follower(), "backup", "--to", file.toString()), "holds the state at entry");
    assertThat(ask("g1", "backup", "--to", file.toString()).err()).contains("exists already");
    Path data = folder.resolve("restored");
    done(run("restore", "--from", file.toString(), "--data", data.toString()), " of entry ");
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
        " of entry ");
    assertThat(run("restore", "--from", folder.toString(), "--data", "d").err())
        .isEqualTo("mgtm: cannot read the backup %s: it is a folder%n".formatted(folder));
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
