package io.mgtm.ha.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.Cli;
import io.mgtm.common.ConfigException;
import io.mgtm.ha.config.ClusterFile;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class InitCommandTest {
  @TempDir private Path root;
  private Path file;

  private record Run(int status, String out, String err) {}

  @BeforeEach
  void machine() throws IOException {
    file = root.resolve("mgtm/ha.yaml");
    put("etc/hostname", "db1.example.org\n");
    put("etc/postgresql/9.6/main/postgresql.conf", "port = 5433\n");
    put(
        "etc/postgresql/15/main/postgresql.conf",
        "#port = 1\ndata_directory = '/srv/pg/data' # its folder\nport = 5440 # its port\n");
  }

  private void put(String name, String text) throws IOException {
    Files.createDirectories(root.resolve(name).getParent());
    Files.writeString(root.resolve(name), text);
  }

  private Run run(String input, String... args) {
    CommandLine line = Cli.of(new InitCommand(root, new StringReader(input)));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    List<String> all = new ArrayList<>(List.of("--to", file.toString()));
    all.addAll(Arrays.asList(args));
    return new Run(line.execute(all.toArray(String[]::new)), out.toString(), err.toString());
  }

  private ClusterConfig written() throws ConfigException {
    return ClusterFile.read(file, HaMain.KITS).config();
  }

  @Test
  void aPersonAnswersInLessThanTenLines() throws Exception {
    List<String> answers =
        List.of(
            "db1=10.0.0.1", "db2=10.0.0.2", "w=10.0.0.3", "", "", "", "10.0.0.100/24", "eth7", "");

    Run run = run(String.join("\n", answers) + "\n");

    assertThat(run.err()).isEmpty();
    assertThat(answers).hasSizeLessThan(10);
    assertThat(run.out())
        .contains("This machine, NAME=ADDRESS")
        .contains("Its data folder [/srv/pg/data]: ")
        .contains("scp -p %s %s root@10.0.0.2:".formatted(file, file.resolveSibling("ha.secret")))
        .contains("./mgtm ha start --config " + file);
    ClusterConfig config = written();
    assertThat(config.nodes().keySet()).containsExactly("db1", "db2", "w");
    assertThat(config.witness()).contains("w");
    Hierarchy db = config.hierarchies().get("db");
    assertThat(db.nodes()).containsExactly("db1", "db2");
    assertThat(db.bottomUp()).containsExactly("address", "database");
    assertThat(db.resources().get("address").parameters())
        .containsEntry("address", "10.0.0.100/24")
        .containsEntry("device", "eth7");
    assertThat(db.resources().get("database").parameters())
        .containsEntry("data", "/srv/pg/data")
        .containsEntry("port", "5440")
        .containsEntry("config", "/etc/postgresql/15/main/postgresql.conf");
    Path secret = file.resolveSibling("ha.secret");
    assertThat(Files.readString(secret)).matches("[0-9a-f]{64}\n");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)))
        .isEqualTo("rw-------");
  }

  private static String[] options(String... more) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--yes",
                "--node=db1=10.0.0.1,10.1.0.1",
                "--node=no=10.0.0.2,fd00::2",
                "--witness=w=10.0.0.3,10.1.0.3",
                "--address=10.0.0.100/24",
                "--device=eth0"));
    all.addAll(Arrays.asList(more));
    return all.toArray(String[]::new);
  }

  @Test
  void aDiskMayVoteInPlaceOfAMachine() throws Exception {
    String[] given = options();
    given[3] = "--witness=/dev/disk/by-id/x-part1";
    Run run = run("", given);

    assertThat(run.err()).isEmpty();
    assertThat(written().quorumDisk()).isEqualTo("/dev/disk/by-id/x-part1");
    assertThat(written().nodes().keySet()).containsExactly("db1", "no");
    assertThat(run.out()).contains("./mgtm ha quorum-disk create --config " + file);
  }

  @Test
  void optionsAnswerWithoutATerminalAndAVolumeHoldsTheData() throws Exception {
    Run run = run("", options("--volume-size=10G", "--cluster=orders"));

    assertThat(run.err()).isEmpty();
    Hierarchy orders = written().hierarchies().get("orders");
    assertThat(orders.nodes()).containsExactly("db1", "no");
    assertThat(orders.bottomUp()).containsExactly("address", "disk", "data", "database");
    assertThat(orders.resources().get("disk").parameters())
        .containsEntry("copies", "db1=10.1.0.1:7800,no=[fd00::2]:7800")
        .containsEntry("file", "/var/lib/mgtm-volumes/orders.volume")
        .containsEntry("linkKey", file.resolveSibling("ha-volume.key").toString());
    assertThat(Files.readString(file)).contains("# The copies speak on the last network");
    assertThat(orders.resources().get("data").parameters()).containsEntry("mount", "/srv/pg");
    assertThat(file.resolveSibling("ha-volume.key")).exists();
    assertThat(run.out()).contains("./mgtm ha start orders --on db1");
  }

  @Test
  void aVolumeLiesOutsideOfItsOwnMount() throws Exception {
    assertThat(run("", options("--volume-size=10G", "--database-folder=/srv/data")).err())
        .isEmpty();

    Hierarchy db = written().hierarchies().get("db");
    assertThat(db.resources().get("data").parameters()).containsEntry("mount", "/srv");
    assertThat(db.resources().get("disk").parameters().get("file")).doesNotStartWith("/srv");
  }

  @Test
  void mariadbIsKnownByItsUsualPlaces() throws Exception {
    assertThat(run("", options("--database=mariadb")).err()).isEmpty();

    assertThat(written().hierarchies().get("db").resources().get("database").parameters())
        .containsEntry("data", "/var/lib/mysql")
        .containsEntry("socket", "/run/mysqld/mysqld.sock");
  }

  @Test
  void aRunningPostmasterIsFoundWhereNoPackageHasSetItUp() throws IOException {
    Path other = root.resolve("other");
    Files.createDirectories(other.resolve("proc/77"));
    Files.createDirectories(other.resolve("data"));
    Files.writeString(other.resolve("proc/77/cmdline"), "/usr/lib/postgres\0-D\0/data\0");
    Files.writeString(other.resolve("data/postmaster.pid"), "77\n/data\n1\n5999\n");

    assertThat(HostFacts.of(other).postgres())
        .containsExactly(new HostFacts.Postgres("/data", "5999", ""));
  }

  @Test
  void whatIsThereIsNotOverwrittenAndItsSecretIsKept() throws Exception {
    assertThat(run("", options()).out()).contains("/ha.secret\n").doesNotContain("Kept");
    String before = Files.readString(file);
    String secret = Files.readString(file.resolveSibling("ha.secret"));

    assertThat(run("", options("--port=1")).err()).contains("is there already").contains("--force");
    assertThat(Files.readString(file)).isEqualTo(before);

    Run anew = run("", options("--port=1", "--force"));
    assertThat(anew.err()).isEmpty();
    assertThat(anew.out())
        .contains("Written: " + file + "\n")
        .containsPattern("Kept, .*: " + file.resolveSibling("ha.secret") + "\n");
    assertThat(Files.readString(file)).contains("port: 1");
    assertThat(Files.readString(file.resolveSibling("ha.secret"))).isEqualTo(secret);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--node=a=10.0.0.1 --node=b=10.0.0.2 | two machines without a witness cannot tell",
        "--node=a=10.0.0.1 --node=b=10.0.0.2 --node=c=10.0.0.3 --witness=w=10.0.0.4 | for two"
            + " machines",
        "--node=a=10.0.0.1 --node=b=10.0.0.2 --witness=w=10.0.0.2 | is an address of node b too",
        "--node=a=10.0.0.1 --node=b=10.0.0.2,10.1.0.2 --witness=w=10.0.0.3 | one on each network",
        "--node=a=10.0.0.1,10.0.0.100 | is a's own",
        "--node=a | expected NAME=ADDRESS",
        "--node=a=10.0.0.1 --port=70000 | no port",
        "--node=a=10.0.0.1 --database=oracle | expected postgresql or mariadb",
        "--node=a=10.0.0.1 --database-folder=data | no path from /",
        "--node=a=10.0.0.1 --volume-size=big | no size",
        "--node=a=10.0.0.1 --database-folder=/var/lib/mysql --volume-size=1G | would be /var/lib",
        "--node=a=10.0.0.1 --database-folder=/srv/a --volume-size=1G --volume-file=/srv/b | under"
            + " /srv, where this hierarchy mounts",
        "--node=a=10.0.0.1 --cluster=a/b | cluster",
        "--node=a=10.0.0.1 --address=10.0.0.300/24 | no address with a prefix",
        "--port=1 | --node is missing"
      })
  void whatCannotWorkIsRefusedInALineAndNothingIsWritten(String options, String says) {
    List<String> all = new ArrayList<>(List.of("--yes", "--device=eth0"));
    if (!options.contains("--address")) {
      all.add("--address=10.0.0.100/24");
    }
    all.addAll(List.of(options.split(" ")));

    Run run = run("", all.toArray(String[]::new));

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).startsWith("mgtm: ").contains(says).hasLineCount(1);
    assertThat(file.getParent()).doesNotExist();
  }

  @Test
  void aWrongAnswerIsAskedAgainAndAnEndedInputIsSaidSo() {
    Run run = run("db1\ndb1=10.0.0.1\n");

    assertThat(run.out()).contains("\"db1\" is no machine").containsPattern("(?s)This.*This");
    assertThat(run.err()).contains("the input ended").contains("--yes");
  }
}
