package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Agents of Debian's resource-agents, as they are. */
class OcfKitIT {
  private static final String ID = Long.toString(ProcessHandle.current().pid(), 36);

  @TempDir Path folder;
  private Rig rig;

  @BeforeEach
  void need() throws Exception {
    Rig.need("ip");
    Rig.needThat(
        Files.isDirectory(Path.of("/usr/lib/ocf/resource.d/heartbeat")),
        "resource-agents is not installed");
    rig = new Rig(folder);
  }

  private static OcfKit kit(String agent) throws KitException {
    return (OcfKit) Kits.of("ocf:heartbeat:" + agent);
  }

  /** In service, checked, out by the kit; again, and out by the watchdog's steps. */
  private static void goThrough(OcfKit kit, KitContext context) throws Exception {
    Rig.assertOut(kit.quickCheck(context));
    try {
      kit.inService(context);
      Rig.assertIn(kit.quickCheck(context));
      Rig.assertIn(kit.deepCheck(context));
      kit.inService(context);
      kit.outOfService(context);
      Rig.assertOut(kit.quickCheck(context));
      kit.inService(context);
      Rig.guard(kit, context);
      Rig.assertOut(kit.quickCheck(context));
    } finally {
      kit.outOfService(context);
      Rig.removeGroup(context);
    }
  }

  @Test
  void metaDataTellParameters() throws Exception {
    OcfKit address = kit("IPaddr2");

    assertThat(address.parameters().get(0))
        .matches(one -> one.name().equals("ip") && one.required());
    assertThat(address.parameters()).anyMatch(one -> one.name().equals("nic") && !one.required());
    assertThat(Kits.problem(address.name(), Map.of("ipp", "10.0.0.1")).orElseThrow().sentence())
        .contains("unknown parameter \"ipp\", did you mean \"ip\"?");
    assertThat(Kits.problem(address.name(), Map.of()).orElseThrow().parameter()).isEqualTo("ip");
  }

  @Test
  void agentThatIsNotThereIsNamedWithItsPackage() {
    assertThatThrownBy(() -> kit("NoSuch"))
        .isInstanceOf(KitException.class)
        .hasMessageContaining("/heartbeat/NoSuch")
        .hasMessageContaining("resource-agents");
    assertThatThrownBy(() -> Kits.of("ocf:../x:y")).hasMessageContaining("is no OCF agent");
  }

  @Test
  void dummy() throws Exception {
    goThrough(kit("Dummy"), rig.context("dummy", Map.of("state", folder.resolve("state") + "")));
  }

  @Test
  void dummyThatFailsIsTold() {
    KitContext context = rig.context("dummy", Map.of("state", "/nonexistent/state"));

    assertThatThrownBy(() -> kit("Dummy").inService(context))
        .isInstanceOf(KitException.class)
        .hasMessageContaining("of ocf:heartbeat:Dummy failed");
    Rig.removeGroup(context);
  }

  @Test
  void ipAddress() throws Exception {
    String device = "mo" + ID;
    Rig.run("ip", "link", "add", device, "type", "veth", "peer", "name", device + "p");
    Rig.run("ip", "link", "set", device, "up");
    Rig.run("ip", "link", "set", device + "p", "up");
    try {
      goThrough(
          kit("IPaddr2"),
          rig.context("ip", Map.of("ip", "198.18.252.7", "cidr_netmask", "24", "nic", device)));
    } finally {
      Rig.run("ip", "link", "del", device);
    }
  }

  @Test
  void filesystem() throws Exception {
    Rig.need("mkfs.ext4", "losetup", "fuser", "modprobe");
    Path image = folder.resolve("image");
    Rig.run("truncate", "-s", "16M", image.toString());
    Rig.run("mkfs.ext4", "-q", image.toString());
    String loop = Rig.run("losetup", "-f", "--show", image.toString());
    try {
      Path mount = Files.createDirectories(folder.resolve("mnt"));
      goThrough(
          kit("Filesystem"),
          rig.context(
              "fs", Map.of("device", loop, "directory", mount.toString(), "fstype", "ext4")));
    } finally {
      Rig.run("losetup", "-d", loop);
    }
  }

  @Test
  void postgresql() throws Exception {
    String bin = "/usr/lib/postgresql/15/bin";
    Rig.need("initdb", "setpriv");
    Path data = folder.resolve("data");
    Rig.run("install", "-d", "-o", "postgres", "-m", "700", data.toString());
    Programs.run(
            Program.of(
                    Deadline.in(120_000),
                    bin + "/initdb",
                    "--no-sync",
                    "-D",
                    data + "",
                    "-A",
                    "trust")
                .as("postgres"))
        .succeeded();
    Map<String, String> parameters = new HashMap<>();
    parameters.put("pgctl", bin + "/pg_ctl");
    parameters.put("psql", bin + "/psql");
    parameters.put("pgdata", data.toString());
    parameters.put("logfile", data.resolve("log").toString());
    parameters.put("socketdir", data.toString());
    parameters.put("pgport", "5432");
    parameters.put(
        "start_opt",
        "-k %s -c listen_addresses='' -c dynamic_shared_memory_type=mmap".formatted(data));
    parameters.put("pghost", data.toString());

    goThrough(kit("pgsql"), rig.context("pg", parameters));
  }

  @Test
  @Tag("long")
  void mysql() throws Exception {
    Rig.need("mariadbd", "mariadb-install-db", "mariadb");
    String user;
    try (Stream<String> users = Files.lines(Path.of("/etc/passwd"))) {
      user = users.anyMatch(one -> one.startsWith("mysql:")) ? "mysql" : "nobody";
    }
    Path data = folder.resolve("data");
    Path run = folder.resolve("run");
    Rig.run("install", "-d", "-o", user, "-m", "755", data.toString(), run.toString());
    Rig.run(
        "mariadb-install-db",
        "--no-defaults",
        "--user=" + user,
        "--datadir=" + data,
        "--auth-root-authentication-method=normal",
        "--skip-test-db");
    Path config = folder.resolve("my.cnf");
    Files.writeString(config, "[mysqld]\nskip_networking\ninnodb_log_file_size=8M\n");
    Map<String, String> parameters = new HashMap<>();
    parameters.put("binary", "/usr/sbin/mariadbd");
    parameters.put("client_binary", "mariadb");
    parameters.put("config", config.toString());
    parameters.put("datadir", data.toString());
    parameters.put("user", user);
    parameters.put("group", Rig.run("id", "-gn", user));
    parameters.put("log", run.resolve("log").toString());
    parameters.put("pid", run.resolve("pid").toString());
    parameters.put("socket", run.resolve("sock").toString());

    goThrough(kit("mysql"), rig.context("my", parameters));
  }
}
