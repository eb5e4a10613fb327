package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The launcher in a tree of its own, with a Maven and an apt-get that only act. */
abstract class LauncherTree {
  private static final Path LAUNCHER = Path.of("..", "mgtm");
  private static final Path ARCHIVER = Path.of("..", "config", "class-archive");
  private static final Path OPTIONS = Path.of("..", "config", "java-options");
  private static final List<String> TOOLS =
      List.of(
          ("bash dirname readlink find sort xargs cat awk sed rm flock touch mktemp "
                  + "tail tr cut cksum mv grep mkdir sleep tee wc basename head stat setpriv")
              .split(" "));

  @TempDir Path root;

  Path bin;

  record End(int status, List<String> lines) {
    String last() {
      return lines.get(lines.size() - 1);
    }
  }

  @BeforeEach
  void layTree() throws IOException {
    Assumptions.assumeTrue(
        Files.isExecutable(Path.of("/bin/bash")), "SKIPPED: there is no /bin/bash");
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.copy(LAUNCHER, root.resolve("mgtm"));
    Files.createDirectory(root.resolve("config"));
    Files.copy(ARCHIVER, root.resolve("config/class-archive"), StandardCopyOption.COPY_ATTRIBUTES);
    Files.copy(OPTIONS, root.resolve("config/java-options"));
    Files.writeString(
        root.resolve("pom.xml"),
        """
        <project>
          <version>9.9.9</version>
          <modules>
            <module>gtm-core</module>
            <module>gtm-proxy</module>
          </modules>
        </project>
        """);
    layModule("gtm-core");
    layModule("gtm-proxy");
    Files.writeString(root.resolve("gtm-core/src/test/ATest.java"), "class ATest { @Test }");
    Files.writeString(root.resolve("gtm-proxy/src/test/BIT.java"), "class BIT { @Test }");
    Files.writeString(
        root.resolve("gtm-proxy/src/test/SlowIT.java"), "@Tag(\"long\")\nclass SlowIT { @Test }");
    bin = Files.createDirectory(root.resolve("bin"));
    for (String tool : TOOLS) {
      for (String folder : List.of("/usr/bin", "/bin")) {
        Path real = Path.of(folder, tool);
        if (Files.isExecutable(real) && !Files.exists(bin.resolve(tool))) {
          Files.createSymbolicLink(bin.resolve(tool), real);
        }
      }
    }
    tool("javac", "echo javac 17.0.1");
    tool("java", "echo \"java $*\"");
  }

  final void layModule(String module) throws IOException {
    Files.createDirectories(root.resolve(module).resolve("src/main"));
    Files.createDirectories(root.resolve(module).resolve("src/test"));
    Files.writeString(
        root.resolve(module).resolve("pom.xml"),
        """
        <project>
          <parent>
          </parent>
          <artifactId>mgtm-%s</artifactId>
        </project>
        """
            .formatted(module));
  }

  final void tool(String name, String script) throws IOException {
    Path file = bin.resolve(name);
    Files.writeString(file, "#!/bin/bash\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  final Process start(List<String> prefix, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of("/bin/bash", root.resolve("mgtm").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().put("PATH", bin.toString());
    Process process = builder.start();
    process.getOutputStream().close();
    return process;
  }

  final End run(List<String> prefix, String... arguments) throws IOException, InterruptedException {
    Process process = start(prefix, arguments);
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
    return new End(process.exitValue(), out.lines().toList());
  }

  final End run(String... arguments) throws IOException, InterruptedException {
    return run(List.of(), arguments);
  }
}
