package io.mgtm.bench.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mgtm.bench.volume.Exec;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What pages of the documentation mark as runnable runs as it stands there, on a machine of its
 * own: namespaces of its network, its processes and its files, where what is written to /etc, /srv
 * and /var/lib is seen by nobody else.
 */
@Tag("long")
class RunnableDocsIT {
  private static final int EXEC_SECONDS = 60;
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final List<String> MACHINE =
      List.of("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc");

  /** Makes the machine, and runs the steps: N.sh prints to N.out, and N.end has its status. */
  private static final String DRIVER =
      """
      set -eu
      ip link set lo up
      mkdir layers
      mount -t tmpfs tmpfs layers
      for folder in etc srv var/lib; do
        mkdir -p "layers/$folder/upper" "layers/$folder/work"
        mount -t overlay overlay -o "lowerdir=/$folder,upperdir=layers/$folder/upper,workdir=layers/$folder/work" "/$folder"
      done
      mkdir -p /etc/mgtm
      for script in $(ls *.sh | sort -n); do
        step=${script%.sh}
        if [ -e "$step.until" ]; then
          bash -e "$script" >"$step.out" 2>&1 &
          until grep -q -F -f "$step.until" "$step.out"; do
            kill -0 $! || exit 1
            sleep 0.1
          done
        else
          bash -e "$script" >"$step.out" 2>&1 || { echo $? >"$step.end"; exit 1; }
          echo 0 >"$step.end"
        fi
      done
      """;

  /** The launcher, but that it builds nothing. */
  private static final String LAUNCHER =
      """
      #!/bin/bash
      program=$1
      shift
      if [ "$program" = up ]; then program=local; fi
      jar=$(ls "ROOT"/*/target/mgtm-$program.jar "ROOT"/replication/*/target/mgtm-$program.jar 2>/dev/null)
      [ -n "$jar" ] || { echo "mgtm-$program.jar is not built; ./mgtm build does it"; exit 1; }
      exec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -jar "$jar" "$@"
      """;

  @TempDir Path folder;

  @BeforeAll
  static void machineCanBeMade() throws InterruptedException {
    assumeTrue(
        Exec.succeeds(EXEC_SECONDS, onMachine("true")),
        "SKIPPED: namespaces: they need root and util-linux");
  }

  private static List<String> onMachine(String... command) {
    return Stream.concat(MACHINE.stream(), Stream.of(command)).toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "docs/operations.md",
        "docs/ha.md",
        "docs/volume.md",
        "docs/tutorial-postgres-xc.md",
        "docs/tutorial-volume.md"
      })
  void runsAsItStands(String page) throws Exception {
    DocPage read = DocPage.read(ROOT.resolve(page));
    List<DocPage.Step> steps = read.steps();
    assertThat(steps).isNotEmpty();
    read.needs()
        .forEach(
            (variable, what) ->
                assumeTrue(
                    System.getenv(variable) != null,
                    "SKIPPED: %s: let it name %s".formatted(variable, what)));
    for (int i = 0; i < steps.size(); i++) {
      Files.writeString(folder.resolve(i + ".sh"), steps.get(i).script());
      if (!steps.get(i).until().isEmpty()) {
        Files.writeString(folder.resolve(i + ".until"), steps.get(i).until());
      }
    }
    Files.createFile(
        folder.resolve("mgtm"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    Files.writeString(folder.resolve("mgtm"), LAUNCHER.replace("ROOT", ROOT.toString()));
    String driver = run();
    for (int i = 0; i < steps.size(); i++) {
      check(i, steps.get(i), driver);
    }
  }

  /**
   * What the driver itself says; when it has ended, or its time is over, all that it began ends.
   */
  private String run() throws IOException, InterruptedException {
    Path said = folder.resolve("driver.out");
    Process process =
        new ProcessBuilder(onMachine("bash", "-c", DRIVER))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    if (!process.waitFor(Await.PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      process.destroyForcibly();
      process.waitFor();
    }
    return Files.readString(said);
  }

  private void check(int number, DocPage.Step step, String driver) throws IOException {
    Path out = folder.resolve(number + ".out");
    String printed =
        Files.exists(out) ? Files.readString(out, StandardCharsets.UTF_8) : "(not run)";
    String told = "%s%nprinted%n%s%n%s".formatted(step.script(), printed, driver);
    if (step.until().isEmpty()) {
      assertThat(folder.resolve(number + ".end")).as(told).hasContent("0");
    }
    assertThat(printed).as(told).contains(step.until());
    assertThat(step.missing(printed)).as("what was not printed of%n%s", told).isNull();
  }
}
