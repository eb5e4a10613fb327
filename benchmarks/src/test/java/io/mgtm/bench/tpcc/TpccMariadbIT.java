package io.mgtm.bench.tpcc;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.volume.Exec;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same against a MariaDB of the class's own. */
@Tag("long")
class TpccMariadbIT {
  @TempDir private static Path folder;
  private static Process server;
  private static TpccTrial trial;

  @BeforeAll
  static void start() throws Exception {
    for (String program : List.of("mariadbd", "mariadb", "mariadb-install-db", "mariadb-admin")) {
      Assumptions.assumeTrue(Exec.has(program), program + " is not installed");
    }
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path data = folder.resolve("data");
    Exec.run(10, List.of("install", "-d", "-o", user(), "-m", "700", data.toString()));
    Exec.run(
        300,
        List.of(
            "mariadb-install-db",
            "--no-defaults",
            "--user=" + user(),
            "--datadir=" + data,
            "--auth-root-authentication-method=normal",
            "--skip-test-db"));
    int port = OwnAddress.port();
    Path log = folder.resolve("log");
    server =
        new ProcessBuilder(
                "mariadbd",
                "--no-defaults",
                "--user=" + user(),
                "--datadir=" + data,
                "--socket=" + data.resolve("socket"),
                "--pid-file=" + data.resolve("pid"),
                "--bind-address=" + OwnAddress.HOST,
                "--port=" + port,
                "--innodb-buffer-pool-size=64M",
                "--innodb-flush-log-at-trx-commit=0")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    Await.until(
        "MariaDB answers",
        () -> {
          assertThat(server.isAlive()).as("log: %s", Files.readString(log)).isTrue();
          return new ProcessBuilder(client("mariadb-admin", "ping")).start().waitFor() == 0;
        });
    Exec.run(
        60,
        client(
            "mariadb",
            "-e",
            "CREATE DATABASE tpcc; GRANT ALL ON tpcc.* TO 'tpcc'@'%' IDENTIFIED BY '"
                + TpccTrial.PASSWORD.replace("'", "''")
                + "'"));
    trial =
        new TpccTrial(folder, "jdbc:mariadb://" + OwnAddress.HOST + ":" + port + "/tpcc", "tpcc");
  }

  private static List<String> client(String program, String... more) {
    Stream<String> own =
        Stream.of(
            program,
            "--no-defaults",
            "--socket=" + folder.resolve("data/socket"),
            "--user=root",
            "--default-character-set=utf8mb4");
    return Stream.concat(own, Stream.of(more)).toList();
  }

  /** The server does not run as root; only its whole package makes a user for it. */
  private static String user() throws IOException {
    try (Stream<String> users = Files.lines(Path.of("/etc/passwd"))) {
      return users.anyMatch(user -> user.startsWith("mysql:")) ? "mysql" : "nobody";
    }
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      server.destroyForcibly().waitFor();
    }
  }

  @Test
  void loadsRunsAndFindsWhatIsWrong() throws Exception {
    trial.loadRunAndBreak();
    for (String isolation : List.of("repeatable-read", "serializable")) {
      TpccTrial.Result ran =
          trial.run(
              "run",
              "--connections=8",
              "--seconds=3",
              "--tries=100",
              "--warmup=0",
              "--isolation=" + isolation);
      assertThat(ran.status()).as(ran.out() + ran.err()).isZero();
    }
  }
}
