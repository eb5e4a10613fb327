package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fence agents of every habit, and one of Debian's. */
class FenceAgentTest {
  private static final int TIMEOUT_MS = 120_000;

  /** Notes what it was told, by its action; the rest is what the test lets it do. */
  private static final String AGENT =
      """
      #!/bin/sh
      cd "${0%%/*}"
      told=$(cat)
      action=$(echo "$told" | sed -n 's/^action=//p')
      echo "$told" > "told-$action"
      %s
      """;

  private static final String METADATA =
      """
      <?xml version="1.0" ?>
      <resource-agent name="fence_own">
      <parameters>
      <parameter name="action" required="1"/>
      <parameter name="plug" required="1" obsoletes="port"><shortdesc>The outlet</shortdesc></parameter>
      <parameter name="port" required="1" deprecated="1"/>
      <parameter name="password" required="0"/>
      </parameters>
      </resource-agent>
      """;

  @TempDir private Path folder;
  private Path secrets;

  @BeforeEach
  void makeSecrets() throws Exception {
    secrets =
        Files.createFile(
            folder.resolve("secrets"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(secrets, "# of the outlet\npassword=topsecret\n");
  }

  private FenceAgent agent(String does, Map<String, String> parameters, int timeoutMs)
      throws Exception {
    Path program = folder.resolve("fence_own");
    Files.writeString(program, AGENT.formatted(does));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    return new FenceAgent(program.toString(), parameters, Optional.of(secrets), timeoutMs);
  }

  private FenceAgent agent(String does) throws Exception {
    return agent(does, Map.of("plug", "7"), TIMEOUT_MS);
  }

  private Path notes() {
    return folder.resolve("notes");
  }

  @Test
  void isToldAllThatItNeedsOnItsInputAlone() throws Exception {
    FenceAgent agent = agent("echo \"$0 $*\" > called; [ $action = off ] || exit 2");

    agent.switchOff("db1", notes());

    assertThat(Files.readString(folder.resolve("told-off")).lines())
        .containsExactlyInAnyOrder("plug=7", "password=topsecret", "action=off", "nodename=db1");
    assertThat(Files.readString(folder.resolve("told-status"))).contains("action=status");
    assertThat(Files.readString(folder.resolve("called")).strip()).endsWith("fence_own");
    assertThat(agent.toString()).doesNotContain("topsecret");
  }

  @Test
  void itsOwnSuccessIsNotEnough() throws Exception {
    FenceAgent agent = agent("[ $action = off ] && exit 0; echo it is on", Map.of(), 1_500);

    assertThatThrownBy(() -> agent.switchOff("db1", notes()))
        .isInstanceOf(KitException.class)
        .hasMessageContaining("status 0 after \"status\": it is on");
  }

  @Test
  void itIsAskedUntilTheMachineIsOff() throws Exception {
    FenceAgent agent =
        agent("[ $action = off ] && exit 0; [ -e asked ] && exit 2; touch asked; exit 1");

    assertThatCode(() -> agent.switchOff("db1", notes())).doesNotThrowAnyException();
  }

  @Test
  void whatFailsIsToldWithoutItsSecrets() throws Exception {
    FenceAgent agent = agent("echo \"login with $told refused\"; exit 1");

    assertThatThrownBy(() -> agent.switchOff("db1", notes()))
        .isInstanceOf(KitException.class)
        .hasMessageContaining("ended with status 1")
        .hasMessageContaining("password=***")
        .hasMessageNotContaining("topsecret");
  }

  @Test
  void oneThatHangsIsKilledInItsTime() throws Exception {
    FenceAgent agent = agent("sleep 1000", Map.of(), 1_000);

    assertThatThrownBy(() -> agent.switchOff("db1", notes())).hasMessageContaining("was killed");
  }

  @Test
  void oneThatIsInterruptedIsKilledAndForgotten() throws Exception {
    FenceAgent agent = agent("touch begun; sleep 1000");
    CompletableFuture<Throwable> ended = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                agent.switchOff("db1", notes());
                ended.complete(null);
              } catch (KitException | InterruptedException e) {
                ended.complete(e);
              }
            });
    thread.start();
    Await.until("it has begun", () -> Files.exists(folder.resolve("begun")));
    thread.interrupt();

    assertThat(ended.join()).isInstanceOf(InterruptedException.class);
    Path real = Processes.real(folder);
    assertThat(Processes.all().stream().filter(one -> one.worksIn(real, ""))).isEmpty();
    assertThat(notes()).isEmptyDirectory();
  }

  @Test
  void secretsThatOthersCanReadAreRefused() throws Exception {
    FenceAgent agent = agent("exit 0");
    Files.setPosixFilePermissions(secrets, PosixFilePermissions.fromString("rw-r--r--"));

    assertThatThrownBy(() -> agent.switchOff("db1", notes()))
        .hasMessageContaining("can be read by others; chmod 600 " + secrets);
  }

  @Test
  void secretsThatAreNoParametersAreNotRepeated() throws Exception {
    FenceAgent agent = agent("exit 0");
    Files.writeString(secrets, "topsecret\n");

    assertThatThrownBy(() -> agent.switchOff("db1", notes()))
        .hasMessageContaining("line 1: expected NAME=VALUE")
        .hasMessageNotContaining("topsecret");
  }

  @Test
  void itsParametersAreCheckedByWhatItTellsOfItself() throws Exception {
    Files.writeString(folder.resolve("metadata"), METADATA);
    String tells = "echo a warning >&2; cat metadata";

    assertThat(agent(tells, Map.of("plug", "7"), TIMEOUT_MS).wrongHere()).isEmpty();
    assertThat(agent(tells, Map.of("port", "7"), TIMEOUT_MS).wrongHere()).isEmpty();
    assertThat(agent(tells, Map.of("plg", "7"), TIMEOUT_MS).wrongHere())
        .hasValueSatisfying(
            wrong -> {
              assertThat(wrong.parameter()).isEqualTo("parameters/plg");
              assertThat(wrong.sentence()).contains("did you mean \"plug\"?");
            });
    assertThat(agent(tells, Map.of(), TIMEOUT_MS).wrongHere())
        .hasValueSatisfying(
            wrong -> assertThat(wrong.sentence()).isEqualTo("plug is missing: The outlet"));
  }

  @Test
  void passwordsDoNotStandInTheConfiguration() throws Exception {
    assertThat(agent("", Map.of("passwd", "x"), TIMEOUT_MS).wrong()).isPresent();
    assertThat(agent("", Map.of("secret_key", "x"), TIMEOUT_MS).wrong()).isPresent();
    assertThat(agent("", Map.of("password_script", "/x"), TIMEOUT_MS).wrong()).isEmpty();
    assertThat(agent("", Map.of("plug", "1\naction=on"), TIMEOUT_MS).wrong()).isPresent();
    assertThat(agent("", Map.of("action", "on"), TIMEOUT_MS).wrong()).isPresent();
  }

  @Test
  void oneOfDebiansDoesIt() throws Exception {
    FenceAgent dummy =
        new FenceAgent(
            "fence_dummy",
            Map.of("status_file", folder.resolve("status").toString()),
            Optional.empty(),
            TIMEOUT_MS);
    Rig.needThat(dummy.isHere(), "fence_dummy of Debian's package fence-agents is not installed");
    Files.writeString(folder.resolve("status"), "on");

    assertThat(dummy.wrongHere()).isEmpty();
    dummy.switchOff("db1", notes());

    assertThat(folder.resolve("status")).hasContent("off");
    FenceAgent wrong =
        new FenceAgent("fence_dummy", Map.of("stat_file", "x"), Optional.empty(), TIMEOUT_MS);
    assertThat(wrong.wrongHere())
        .hasValueSatisfying(it -> assertThat(it.sentence()).contains("status_file"));
  }
}
