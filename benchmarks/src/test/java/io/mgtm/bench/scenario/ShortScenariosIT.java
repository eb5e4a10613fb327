package io.mgtm.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Some of {@link ScenariosIT}, with a Docker daemon and images of their own, where there can be a
 * daemon.
 */
@Tag("long")
class ShortScenariosIT {
  private static final Path DAEMON = Path.of("..", "docker", "own", "daemon");
  private static final int NONE = 125;
  private static final int PATIENCE_MINUTES = 5;

  @TempDir Path folder;

  @Test
  void aGroupInContainersStandsALeadersDeath() throws Exception {
    run("leaderIsKilled");
  }

  @Test
  void aGroupInContainersStandsACut() throws Exception {
    run("minorityIsCutOff");
  }

  private void run(String scenario) throws Exception {
    List<String> command = new ArrayList<>(List.of(DAEMON.toString()));
    command.addAll(List.of(java(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
    command.addAll(List.of(System.getProperty("java.class.path"), RunScenarios.class.getName()));
    command.add(scenario);
    Path said = folder.resolve("said");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    boolean ended;
    try {
      ended = process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES);
    } finally {
      process.destroyForcibly(); // When it, or this thread, was not to go on.
    }
    String output = Files.readString(said);
    assertThat(ended).as("has ended: %s", output).isTrue();
    int status = process.exitValue();
    assumeTrue(status != NONE, () -> "SKIPPED: Docker: " + output.strip());
    assertThat(status).as(output).isZero();
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }
}
