package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.query.local.LocalProgram;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients in Python and the pooler PgBouncer, as Debian has them, before two real servers. */
class ProgramsIT {
  private static final String PYTHON = "/usr/bin/python3";
  private static final Path PGBOUNCER = Path.of("/usr/sbin/pgbouncer");

  private static final String TABLES =
      ClientsIT.TABLES
          + ";create type mood as enum ('sad', 'happy');"
          + "create table felt (id int primary key, m mood)";

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtgp", TABLES);
    cluster.startReplicator();
  }

  private static void need(boolean there, String what) {
    Assumptions.assumeTrue(there, "SKIPPED: " + what + " is not installed");
  }

  @ParameterizedTest
  @CsvSource({"asyncpg, 300, 10", "psycopg, 800, 10"})
  void pythonWritesInTransactions(String library, int kept, int made) throws Exception {
    need(
        Files.isExecutable(Path.of(PYTHON))
            && Tools.run(folder, Map.of(), List.of(PYTHON, "-c", "import " + library)).code() == 0,
        "python3-" + library);
    String name = "with_" + library + ".py";
    Path script = folder.resolve(name);
    try (InputStream resource = ProgramsIT.class.getResourceAsStream("/clients/" + name)) {
      Files.copy(resource, script);
    }
    Tools.Result run = cluster.run(cluster.address(), List.of(PYTHON, script.toString()));
    assertThat(run.succeeded().output()).isEqualTo("done\n");
    String of = " where client = '" + library + "'";
    assertThat(cluster.number("select count(*) from kept" + of)).isEqualTo(kept);
    assertThat(cluster.number("select count(*) from made" + of)).isEqualTo(made);
    cluster.assertAlike();
  }

  /** PgBouncer before the replicator. */
  private static final class Bouncer implements AutoCloseable {
    private final HostPort address = new HostPort(OwnAddress.HOST, OwnAddress.port());
    private final Process process;

    Bouncer(String mode, int sessions) throws IOException {
      need(Files.isExecutable(PGBOUNCER), "pgbouncer");
      Path users = folder.resolve("users.txt");
      Files.writeString(users, "\"alice\" \"" + Postgres.PASSWORD + "\"\n");
      Path config = folder.resolve("pgbouncer.ini");
      Files.writeString(
          config,
          """
          [databases]
          app = host=%s port=%d dbname=app
          [pgbouncer]
          listen_addr = %s
          listen_port = %d
          unix_socket_dir =
          auth_type = trust
          auth_file = %s
          pool_mode = %s
          default_pool_size = %d
          """
              .formatted(
                  cluster.address().host(),
                  cluster.address().port(),
                  address.host(),
                  address.port(),
                  users,
                  mode,
                  sessions));
      process =
          new ProcessBuilder(
                  LocalProgram.asPostgres(List.of(PGBOUNCER.toString(), config.toString())))
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("pgbouncer.out").toFile())
              .start();
      Await.until("pgbouncer to listen", this::listens);
    }

    private boolean listens() throws IOException {
      assertThat(process.isAlive()).as(() -> output()).isTrue();
      try (Socket socket = new Socket(address.host(), address.port())) {
        return socket.isConnected();
      } catch (IOException e) {
        return false;
      }
    }

    private static String output() {
      try {
        return Files.readString(folder.resolve("pgbouncer.out"), StandardCharsets.UTF_8);
      } catch (IOException e) {
        return e.toString();
      }
    }

    Tools.Result program(String name, String... arguments) throws Exception {
      List<String> command = new ArrayList<>(List.of(Tools.PROGRAMS + "/" + name));
      command.addAll(List.of(arguments));
      return cluster.run(address, command);
    }

    @Override
    public void close() {
      process.destroyForcibly();
      Await.until("pgbouncer to end", () -> process.waitFor(1, TimeUnit.SECONDS));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "transaction, simple",
    "transaction, extended",
    "session, simple",
    "session, extended",
    "session, prepared",
  })
  void pgbenchRunsBehindPgbouncer(String pooling, String mode) throws Exception {
    long before = cluster.number("select count(*) from pgbench_history");
    // Who has no session waits for one, and in session pooling until another client goes.
    try (Bouncer bouncer = new Bouncer(pooling, pooling.equals("session") ? 8 : 3)) {
      Tools.Result run = bouncer.program("pgbench", "-n", "-c", "8", "-t", "25", "-M", mode);
      assertThat(run.succeeded().output())
          .contains("number of transactions actually processed: 200/200");
    }
    assertThat(cluster.number("select count(*) from pgbench_history")).isEqualTo(before + 200);
    cluster.assertAlike();
  }

  @ParameterizedTest
  @ValueSource(strings = {"transaction", "session"})
  void psqlMeetsErrorsBehindPgbouncer(String pooling) throws Exception {
    try (Bouncer bouncer = new Bouncer(pooling, 1)) {
      for (int i = 0; i < 3; i++) {
        String insert = "insert into kept (client, id) values ('%s', %d)".formatted(pooling, i);
        Tools.Result psql =
            bouncer.program(
                "psql",
                "-XAtq",
                "-c",
                "set client_encoding = latin1",
                "-c",
                "set timezone = 'Asia/Tokyo'",
                "-c",
                "begin",
                "-c",
                insert,
                "-c",
                "savepoint s",
                "-c",
                insert,
                "-c",
                "rollback to s",
                "-c",
                "commit",
                "-c",
                insert,
                "-c",
                "show timezone");
        assertThat(psql.output()).containsPattern("(?s)duplicate key.*duplicate key.*Asia/Tokyo");
        assertThat(bouncer.program("psql", "-XAtc", "show timezone").output())
            .isNotEqualTo("Asia/Tokyo\n");
      }
      assertThat(
              bouncer
                  .program("psql", "-XAtc", "begin; insert into kept values ('x', 1); select 1 / 0")
                  .output())
          .contains("division by zero");
    }
    assertThat(cluster.number("select count(*) from kept where client = '" + pooling + "'"))
        .isEqualTo(3);
    assertThat(cluster.number("select count(*) from kept where client = 'x'")).isZero();
    cluster.assertAlike();
  }

  @Test
  void whatASessionHasSetIsForgottenForTheNextClient() throws Exception {
    try (Bouncer bouncer = new Bouncer("session", 1)) {
      bouncer.program("psql", "-Xqc", "set statement_timeout = '77s'").succeeded();
      assertThat(bouncer.program("psql", "-XAtc", "show statement_timeout").output())
          .isEqualTo("0\n");
    }
  }
}
