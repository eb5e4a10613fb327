package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a stand-in for Postgres-XC's programs: a pg_ctl that starts a sleeper named postgres. */
class XcNodeKitTest {
  private static final String PG_CTL =
      """
      #!/bin/sh
      here=$(dirname "$0")
      echo "$*" >>"$here/calls"
      for last; do :; done
      while [ $# -gt 0 ]; do [ "$1" = -D ] && data=$2; shift; done
      cd "$data" || exit 1
      if [ "$last" = start ]; then
        setsid "$here/postgres" 1000 >/dev/null 2>&1 &
        until readlink /proc/$!/exe | grep -q /postgres; do sleep 0.01; done
        printf '%s\\n%s\\n1\\n15432\\n%s\\n\\n' $! "$data" "$data" >postmaster.pid
      else
        kill "$(head -n 1 postmaster.pid)" && rm postmaster.pid
      fi
      """;

  @TempDir Path folder;
  private final XcNodeKit kit = new XcNodeKit();
  private final Map<String, String> parameters = new HashMap<>();
  private Rig rig;
  private Path bin;

  @BeforeEach
  void standIn() throws Exception {
    rig = new Rig(folder);
    bin = Files.createDirectories(folder.resolve("bin"));
    Path data = Files.createDirectories(folder.resolve("data"));
    Files.writeString(data.resolve("PG_VERSION"), "9.2\n");
    program("pg_ctl", PG_CTL);
    program("psql", "#!/bin/sh\necho \"$*\" >>\"$(dirname \"$0\")/calls\"\necho 1\n");
    Files.copy(Path.of("/bin/sleep").toRealPath(), bin.resolve("postgres"));
    parameters.put("data", data.toString());
    parameters.put("bin", bin.toString());
  }

  private void program(String name, String text) throws Exception {
    Path file = Files.writeString(bin.resolve(name), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @AfterEach
  void end() throws Exception {
    kit.server(context()).kill(Deadline.in(60_000));
    Rig.removeGroup(context());
  }

  private KitContext context() {
    return rig.context("xc", parameters);
  }

  private String calls() throws Exception {
    return Files.readString(bin.resolve("calls"));
  }

  @Test
  void coordinatorIsStartedAsOneAndWrites() throws Exception {
    parameters.put("role", "coordinator");
    Rig.assertOut(kit.quickCheck(context()));

    kit.inService(context());

    assertThat(calls()).contains("-Z coordinator -w").endsWith(" start\n");
    Rig.assertIn(kit.deepCheck(context()));
    assertThat(calls()).contains("insert into mgtm_ha_check").contains("-p 15432");
    kit.outOfService(context());
    assertThat(calls()).contains("-m fast -w");
    Rig.assertOut(kit.quickCheck(context()));
  }

  @Test
  void datanodeIsStartedAsOneAndReads() throws Exception {
    parameters.put("role", "datanode");

    kit.inService(context());

    assertThat(calls()).contains("-Z datanode -w");
    Rig.assertIn(kit.deepCheck(context()));
    assertThat(calls()).contains("select count(*)").doesNotContain("insert");
    Rig.guard(kit, context());
    Rig.assertOut(kit.quickCheck(context()));
  }

  @Test
  void otherRoleIsRefused() {
    parameters.put("role", "gtm");

    assertThatThrownBy(() -> kit.inService(context()))
        .hasMessageContaining("role \"gtm\" of xc is none: expected coordinator or datanode");
  }
}
