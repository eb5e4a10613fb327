package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.Signals;
import io.mgtm.ha.watchdog.GuardSteps;
import io.mgtm.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real PostgreSQL 15, run as its user. */
class PostgresqlKitIT {
  private static final String BIN = "/usr/lib/postgresql/15/bin";

  /** What initdb has made, for each test to copy. */
  @TempDir private static Path made;

  @TempDir Path folder;
  private final PostgresqlKit kit = new PostgresqlKit();
  private final Map<String, String> parameters = new HashMap<>();
  private Rig rig;
  private Path data;
  private KitContext context;

  @BeforeAll
  static void makeDatabase() throws Exception {
    Rig.need("initdb", "setpriv");
    Rig.run("chmod", "755", made.toString());
    Rig.run("install", "-d", "-o", "postgres", "-m", "700", made.resolve("data").toString());
    Programs.run(
            Program.of(
                    Deadline.in(120_000),
                    BIN + "/initdb",
                    "--no-sync",
                    "-D",
                    made.resolve("data") + "",
                    "-A",
                    "trust")
                .as("postgres"))
        .succeeded();
  }

  @BeforeEach
  void copyDatabase() throws Exception {
    rig = new Rig(folder);
    data = folder.resolve("data");
    Rig.run("cp", "-a", made.resolve("data").toString(), data.toString());
    parameters.put("data", data.toString());
    parameters.put(
        "options",
        "-k %s -c listen_addresses='' -c shared_buffers=16MB -c dynamic_shared_memory_type=mmap"
            .formatted(data));
    context = rig.context("pg", parameters);
  }

  @AfterEach
  void end() throws Exception {
    if (context != null) {
      kit.outOfService(context);
      Rig.removeGroup(context);
    }
  }

  private long postmaster() throws Exception {
    return Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
  }

  private void signal(String signal, long pid) throws Exception {
    Rig.run("kill", "-" + signal, Long.toString(pid));
  }

  @Test
  void isStartedCheckedAndStopped() throws Exception {
    Rig.assertOut(kit.quickCheck(context));
    Rig.assertOut(kit.deepCheck(context));

    kit.inService(context);

    Rig.assertIn(kit.quickCheck(context));
    Kit.Health deep = kit.deepCheck(context);
    Rig.assertIn(deep);
    assertThat(deep.detail()).contains("wrote a row");
    long pid = postmaster();
    kit.inService(context);
    assertThat(postmaster()).as("it is in service already").isEqualTo(pid);
    assertThat(kit.sql(context, Deadline.in(60_000), "select count(*) from mgtm_ha_check").output())
        .isEqualTo("1\n");

    kit.outOfService(context);

    Rig.assertOut(kit.quickCheck(context));
    assertThat(data.resolve("postmaster.pid")).as("it ended in order").doesNotExist();
    kit.outOfService(context);
  }

  @Test
  void killedOneRecoversWhereItIs() throws Exception {
    kit.inService(context);
    signal("KILL", postmaster());
    Await.until(
        "its children have ended",
        () -> kit.quickCheck(context).state() == Kit.Health.State.OUT_OF_SERVICE);
    assertThat(kit.quickCheck(context).detail()).contains("did not end in order");

    kit.localRecover(context);

    Rig.assertIn(kit.deepCheck(context));
  }

  @Test
  void hungOneFailsItsChecksAndIsEnded() throws Exception {
    kit.inService(context);
    Signals.send(postmaster(), "STOP");

    Rig.assertFailed(kit.quickCheck(context));
    kit.outOfService(context);

    Rig.assertOut(kit.quickCheck(context));
  }

  @Test
  void pidFileWithAnothersPidDeceivesNobody() throws Exception {
    // The pid of a process of the same user: PostgreSQL itself would refuse to start.
    Path sleeper = Files.createDirectories(folder.resolve("sleeper"));
    Programs.run(
            Program.shell(Deadline.in(60_000), "sleep 1000 >/dev/null 2>&1 &")
                .as("postgres")
                .in(sleeper))
        .succeeded();
    Daemon other = new Daemon(context, sleeper, "sleep");
    Await.until("it sleeps", other::isRunning);
    long pid = other.processes().get(0).pid();
    Files.writeString(
        data.resolve("postmaster.pid"), "%d\n%s\n1\n5432\n%s\n\n".formatted(pid, data, data));
    Rig.run("chown", "postgres", data.resolve("postmaster.pid").toString());

    Rig.assertOut(kit.quickCheck(context));
    Rig.guard(kit, context);
    assertThat(other.isRunning()).as("the watchdog leaves it alone").isTrue();
    kit.inService(context);

    Rig.assertIn(kit.deepCheck(context));
    assertThat(other.isRunning()).isTrue();
    other.kill(Deadline.in(60_000));
  }

  @Test
  void guardEndsPostmasterAndBackends() throws Exception {
    kit.inService(context);
    kit.sql(context, Deadline.in(60_000), "select 1");

    Rig.guard(kit, context);

    assertThat(kit.server(context).isRunning()).isFalse();
    Rig.assertOut(kit.quickCheck(context));
  }

  @Test
  void guardWithoutControlGroupsEndsThemToo() throws Exception {
    kit.inService(context);
    List<GuardStep> steps = kit.guard(context);

    GuardStep last = steps.get(steps.size() - 1);
    assertThat(last).isInstanceOf(GuardStep.KillWorkingIn.class);
    Await.until("nothing is left", () -> GuardSteps.isDone(last));

    assertThat(kit.server(context).isRunning()).isFalse();
  }

  @Test
  void failedStartSaysWhatPostgresqlSaid() {
    parameters.put("options", "-c no_such_setting=1");

    assertThatThrownBy(() -> kit.inService(rig.context("pg", parameters)))
        .isInstanceOf(KitException.class)
        .hasMessageContaining("pg_ctl")
        .hasMessageContaining("no_such_setting");
  }

  @Test
  void writeThatCannotBeMadeFailsTheDeepCheckOnly() throws Exception {
    kit.inService(context);
    Rig.assertIn(kit.deepCheck(context));
    kit.sql(context, Deadline.in(60_000), "alter system set default_transaction_read_only = on");
    kit.sql(context, Deadline.in(60_000), "select pg_reload_conf()");
    Await.until(
        "the setting holds", () -> kit.deepCheck(context).state() == Kit.Health.State.FAILED);

    Rig.assertIn(kit.quickCheck(context));
    assertThat(kit.deepCheck(context).detail()).contains("read-only transaction");
  }

  @Test
  void folderThatIsNotMountedIsNamed() {
    parameters.put("data", folder.resolve("elsewhere").toString());

    assertThatThrownBy(() -> kit.inService(rig.context("pg", parameters)))
        .hasMessageContaining("is its file system mounted?");
  }
}
