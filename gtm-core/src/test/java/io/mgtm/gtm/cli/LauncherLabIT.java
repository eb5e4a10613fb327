package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher's measurements in the lab, with a lab and a Maven that only act. */
class LauncherLabIT {
  private static final List<String> JARS =
      List.of("benchmarks/target/mgtm-bench.jar", "replication/block/target/mgtm-volume.jar");

  @TempDir private Path root;
  private Path bin;
  private int status;

  @BeforeEach
  void layTree() throws IOException {
    Assumptions.assumeTrue(
        Files.isExecutable(Path.of("/bin/bash")), "SKIPPED: there is no /bin/bash");
    for (String file : List.of("mgtm", "config/class-archive", "config/java-options", "pom.xml")) {
      put(file, Files.readString(Path.of("..").resolve(file)));
    }
    for (String module : List.of("benchmarks", "replication/block")) {
      put(module + "/pom.xml", "<project/>");
    }
    bin = root.resolve("bin");
    put("bin/java", "#!/bin/bash\n");
    put("bin/javac", "#!/bin/bash\necho javac 17.0.1\n");
    put("bin/apt-get", "#!/bin/bash\nexit 1\n");
    StringBuilder maven = new StringBuilder("#!/bin/bash\ncd \"${0%/*}/..\"\n");
    for (String jar : JARS) {
      maven.append("mkdir -p %s; echo jar > %s\n".formatted(Path.of(jar).getParent(), jar));
    }
    put("bin/mvn", maven.toString());
  }

  private void put(String name, String text) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private List<String> run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("/bin/bash", root.resolve("mgtm").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().put("PATH", bin + ":/usr/sbin:/usr/bin:/sbin:/bin");
    Process process = builder.start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    status = process.waitFor();
    return out.lines().toList();
  }

  @Test
  void aWideAreaLineIsMeasuredThereAndTheStatusOfTheLabIsTold() throws Exception {
    put("docker/lab/kernel-lab", "#!/bin/bash\necho \"lab $*\"\nexit 125\n");
    List<String> lines = run("lab", "--wan", "--only", "group");
    Path tree = root.toRealPath();
    assertThat(lines.get(lines.size() - 1))
        .startsWith("lab -i -m 4096 -t 1800 -M bridge -- java ")
        .contains(
            " -Dmgtm.volumeJar=%s/%s ".formatted(tree, JARS.get(1)),
            " -jar %s/%s wan ".formatted(tree, JARS.get(0)))
        .endsWith(" --only group");
    assertThat(status).isEqualTo(125);
  }
}
