package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JarsTest {
  private static final String NAME = "mgtm-proxy.jar";
  private static final String ENDS = "-XX:+ExitOnOutOfMemoryError";

  @TempDir Path folder;
  private Path jar;

  @BeforeEach
  void jar() throws Exception {
    jar = Files.createFile(folder.resolve(NAME));
  }

  /** With a stand-in for {@code config/class-archive}. */
  private List<String> command(String script) throws Exception {
    Path tool = Files.writeString(folder.resolve("class-archive"), "#!/bin/sh\n" + script);
    Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwxr-xr-x"));
    Map<String, String> parameters = Map.of("jar", jar.toString(), "javaOptions", "-Xmx16m");
    return Jars.command(new Rig(folder).context("proxy", parameters), NAME, "gtm-proxy");
  }

  @Test
  void programStartsWithTheArchiveOfItsClassesThatWasMade() throws Exception {
    assertThat(command("[ $# = 3 ] && echo \"$1\" && basename \"$2\" && echo \"of $3\""))
        .containsExactly(
            java(), ENDS, "-Xmx16m", "--made", "java", "of " + jar, "-jar", jar.toString());
  }

  @Test
  void programStartsWithoutAnArchiveThatCannotBeHad() throws Exception {
    assertThat(command("echo -Xshare; exit 1"))
        .containsExactly(java(), ENDS, "-Xmx16m", "-jar", jar.toString());
    assertThat(command("")).containsExactly(java(), ENDS, "-Xmx16m", "-jar", jar.toString());
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }
}
