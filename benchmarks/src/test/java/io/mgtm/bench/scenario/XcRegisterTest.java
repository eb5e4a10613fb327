package io.mgtm.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.bench.volume.Exec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code docker/xc/node register}, with a psql that answers as nodes would. */
class XcRegisterTest {
  private static final Path NODE = Path.of("..", "docker", "xc", "node").toAbsolutePath();
  private static final int EXEC_SECONDS = 60;

  @TempDir Path folder;

  /** Registers, while a node knows that many gxids as committed which the GTM has yet to give. */
  private String register(String node, int ahead) throws IOException, InterruptedException {
    Path psql = folder.resolve("psql");
    Files.writeString(
        psql,
        """
        #!/bin/bash
        case ${!#} in
          *pgxc_is_committed*) if [[ $* == *'-h %s '* ]]; then echo %d; else echo 0; fi ;;
          *'from pgxc_node where'*) ;;
          'create node'*) echo "${!#}" >>'%s' ;;
        esac
        """
            .formatted(node, ahead, folder.resolve("created")));
    Files.setPosixFilePermissions(psql, PosixFilePermissions.fromString("rwx------"));
    return Exec.run(
        EXEC_SECONDS,
        List.of(
            "env",
            "PATH=" + folder + ":/usr/bin:/bin",
            "COORDINATORS=c1 c2",
            "DATANODES=d1",
            "bash",
            NODE.toString(),
            "register"));
  }

  @Test
  void eachCoordinatorIsToldOfAllOthers() throws Exception {
    register("c1", 0);
    assertThat(folder.resolve("created"))
        .content()
        .isEqualTo(
            """
            create node c2 with (type = 'coordinator', host = 'c2', port = 5432)
            create node d1 with (type = 'datanode', host = 'd1', port = 5432)
            create node c1 with (type = 'coordinator', host = 'c1', port = 5432)
            create node d1 with (type = 'datanode', host = 'd1', port = 5432)
            """);
  }

  @Test
  void dataThatAreAheadOfTheGtmAreRefused() {
    assertThatThrownBy(() -> register("c1", 3))
        .hasMessageContaining("c1 has data of an earlier GTM");
    assertThat(folder.resolve("created")).doesNotExist();
  }

  @Test
  void soAreThoseOfDatanodes() {
    assertThatThrownBy(() -> register("d1", 3))
        .hasMessageContaining("d1 has data of an earlier GTM");
    assertThat(folder.resolve("created")).content().doesNotContain("create node d1");
  }
}
