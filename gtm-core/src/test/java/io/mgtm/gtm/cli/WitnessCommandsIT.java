package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.group.GroupMode;
import io.mgtm.gtm.node.TestNodes;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** What operators see of a pair with a witness, and may do with it. */
class WitnessCommandsIT {
  @TempDir private Path folder;
  private TestNodes nodes;
  private String leader;

  private record Result(int status, String out, String err) {}

  private void start(GroupMode mode) throws IOException {
    nodes = TestNodes.pairWithWitness(folder, mode);
    for (String name : List.of("g1", "g2", "g3")) {
      nodes.start(name);
    }
    leader = nodes.leader();
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private Result ask(String node, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--at", OwnAddress.HOST + ":" + nodes.server(node).address().getPort()));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = GtmMain.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    int status = line.execute(all.toArray(String[]::new));
    return new Result(status, out.toString(), err.toString());
  }

  private JsonNode witnessStatus() throws IOException {
    return new ObjectMapper().readTree(ask("g3", "status", "--json").out()).get("group");
  }

  @ParameterizedTest
  @EnumSource(names = {"FIFO", "LAZY"})
  void theWitnessIsShownAndTheCommandsKnowIt(GroupMode mode) throws IOException {
    start(mode);
    assertThat(leader).isIn("g1", "g2");
    assertThat(ask(leader, "await-in-sync").out()).contains("g1, g2: in sync at entry ");
    assertThat(ask(leader, "await-in-sync", "g3").out()).contains("g3: in sync at entry ");
    assertThat(ask("g3", "await-in-sync").err()).contains("is the witness and keeps no entries");

    assertThat(ask(leader, "status").out()).contains("g3 votes, witness without data, connected");
    Await.until("it knows who leads", () -> witnessStatus().get("leader").asText().equals(leader));
    JsonNode group = witnessStatus();
    assertThat(group.get("role").asText()).isEqualTo("witness");
    for (JsonNode member : group.get("members")) {
      assertThat(member.get("witness").asBoolean())
          .isEqualTo(member.get("name").asText().equals("g3"));
    }
    Result witness = ask("g3", "status");
    assertThat(witness.out())
        .contains("g3, witness of a %s group".formatted(mode.label()))
        .contains("asked over the link only: ");
    assertThat(witness.status()).as("it does what it is there for").isZero();
    assertThat(ask("g3", "sequences").err()).contains("serves no clients");

    assertThat(ask(leader, "transfer", "g3").err()).contains("g3 is the witness");
    // Where votes are counted, a third may learn until another leaves.
    assertThat(ask(leader, "add", "--wait-ms", "0", "g4=127.0.0.1:1").err())
        .contains(mode == GroupMode.LAZY ? "A witness goes with two members that keep data" : "");
  }

  @ParameterizedTest
  @EnumSource(names = {"FIFO", "LAZY"})
  void theWitnessMayBeTakenOutAndAddedToARunningPair(GroupMode mode) throws IOException {
    start(mode);
    assertThat(ask(leader, "remove", "g3").err()).isEmpty();
    assertThat(ask(leader, "status").out()).doesNotContain("g3 votes");
    assertThat(ask(leader, "add", "g3=127.0.0.1:1").err()).isEmpty();
    assertThat(ask(leader, "status").out()).contains("g3 votes, witness without data, connected");
    nodes.stop(leader);
    assertThat(nodes.leader()).isIn("g1", "g2").isNotEqualTo(leader);
  }

  @ParameterizedTest
  @EnumSource(names = {"FIFO", "LAZY"})
  void oneOfThePairIsEnoughBesideTheWitness(GroupMode mode) throws IOException {
    start(mode);
    String other = nodes.follower();
    other = other.equals("g3") ? (leader.equals("g1") ? "g2" : "g1") : other;
    nodes.stop(leader);
    assertThat(nodes.leader()).isEqualTo(other);
    nodes.start(leader);
    assertThat(ask(other, "await-in-sync").err()).isEmpty();
    nodes.stop("g3");
    nodes.start("g3");
    assertThat(ask(other, "await-in-sync", "g3").err()).isEmpty();
  }
}
