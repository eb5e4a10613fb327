package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.Signals;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real MariaDB, run as a user of its own. */
class MariadbKitIT {
  /** What mariadb-install-db has made, for each test to copy. */
  @TempDir private static Path made;

  @TempDir Path folder;
  private final MariadbKit kit = new MariadbKit();
  private final Map<String, String> parameters = new HashMap<>();
  private Rig rig;
  private Path data;
  private KitContext context;

  @BeforeAll
  static void makeDatabase() throws Exception {
    Rig.need("mariadbd", "mariadb-install-db", "mariadb");
    Path data = made.resolve("data");
    String user = user();
    Rig.run("chmod", "755", made.toString());
    Rig.run("install", "-d", "-o", user, "-m", "700", data.toString());
    Rig.run(
        "mariadb-install-db",
        "--no-defaults",
        "--user=" + user,
        "--datadir=" + data,
        "--auth-root-authentication-method=normal",
        "--skip-test-db");
  }

  @BeforeEach
  void copyDatabase() throws Exception {
    rig = new Rig(folder);
    data = folder.resolve("data");
    Rig.run("cp", "-a", made.resolve("data").toString(), data.toString());
    Path config = folder.resolve("my.cnf");
    Files.writeString(
        config,
        "[mariadb]\nskip_networking\ninnodb_buffer_pool_size=16M\ninnodb_log_file_size=8M\n");
    parameters.put("data", data.toString());
    parameters.put("socket", data.resolve("mysqld.sock").toString());
    parameters.put("config", config.toString());
    context = rig.context("my", parameters);
  }

  @AfterEach
  void end() throws Exception {
    if (context != null) {
      kit.outOfService(context);
      Rig.removeGroup(context);
    }
  }

  /** The packages' user is there when the server's package, and not its core alone, is. */
  private static String user() throws Exception {
    try (Stream<String> users = Files.lines(Path.of("/etc/passwd"))) {
      return users.anyMatch(user -> user.startsWith("mysql:")) ? "mysql" : "nobody";
    }
  }

  @Test
  void isStartedCheckedAndStopped() throws Exception {
    Rig.assertOut(kit.quickCheck(context));
    kit.inService(context);
    Rig.assertIn(kit.quickCheck(context));
    Kit.Health deep = kit.deepCheck(context);
    Rig.assertIn(deep);
    assertThat(deep.detail()).contains("wrote a row");
    kit.inService(context);
    kit.outOfService(context);
    Rig.assertOut(kit.quickCheck(context));
  }

  @Test
  void killedOneRecoversAndHungOneFailsAndIsEnded() throws Exception {
    kit.inService(context);
    Rig.guard(kit, context);
    Rig.assertOut(kit.quickCheck(context));

    kit.localRecover(context);
    Rig.assertIn(kit.deepCheck(context));

    long pid = new Daemon(context, data, "mariadbd").processes().get(0).pid();
    Signals.send(pid, "STOP");
    Rig.assertFailed(kit.quickCheck(context));
    kit.outOfService(rig.context("my", 10_000, parameters));
    Rig.assertOut(kit.quickCheck(context));
  }

  @Test
  void refusedWriteFailsTheDeepCheckOnly() throws Exception {
    kit.inService(context);
    MariadbKit.sql(context, Deadline.in(60_000), "create user checker@localhost").succeeded();
    parameters.put("client", "checker");
    KitContext weak = rig.context("my", parameters);

    Rig.assertIn(kit.quickCheck(weak));
    Kit.Health deep = kit.deepCheck(weak);
    Rig.assertFailed(deep);
    assertThat(deep.detail()).contains("denied");
  }

  @Test
  void failedStartSaysWhatTheServerSaid() {
    parameters.put("options", "--no-such-option");

    assertThatThrownBy(() -> kit.inService(rig.context("my", parameters)))
        .isInstanceOf(KitException.class)
        .hasMessageContaining("no-such-option");
  }
}
