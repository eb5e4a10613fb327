package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.local.LocalProgram;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.testing.OwnAddress;
import io.mgtm.testing.TestKeys;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who gets in, how, and how sessions end, before one real server that takes TLS. */
class LoginIT {
  @TempDir private static Path folder;
  private static TestKeys serverKeys;
  private static TestKeys keys;
  private static Postgres postgres;
  private static QueryServer replicator;
  private static QueryServer encrypted;
  private static String url;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    serverKeys = TestKeys.make(folder, "server", OwnAddress.HOST);
    keys = TestKeys.make(folder, "replicator", "127.0.0.1");
    if (LocalProgram.isRoot()) {
      Tools.run(folder, Map.of(), List.of("chown", "postgres", serverKeys.key().toString()))
          .succeeded();
    }
    Tools.run(folder, Map.of(), List.of("chmod", "600", serverKeys.key().toString())).succeeded();
    postgres =
        new Postgres(
            folder.resolve("pg"),
            List.of(
                "ssl=on",
                "ssl_cert_file='" + serverKeys.certificate() + "'",
                "ssl_key_file='" + serverKeys.key() + "'"));
    replicator = QueryServer.start(TestConfig.of(folder, postgres.address));
    encrypted = QueryServer.start(encrypting(serverKeys.certificate()));
    url = url(replicator);
  }

  private static QueryConfig encrypting(Path trust) throws Exception {
    QueryConfig.Tls tls = new QueryConfig.Tls(keys.certificate(), keys.key());
    return TestConfig.with(folder, postgres.address, "mgtm", 500, tls, trust);
  }

  private static String url(QueryServer of) {
    return "jdbc:postgresql://" + HostPort.of(of.address()) + "/app";
  }

  @AfterAll
  static void stop() throws Exception {
    for (QueryServer one : new QueryServer[] {replicator, encrypted}) {
      if (one != null) {
        one.close();
      }
    }
    if (postgres != null) {
      postgres.stop();
    }
  }

  @Test
  void bothSidesOfTheReplicatorAreEncryptedAndTheChannelIsBound() throws Exception {
    String bound =
        url(encrypted)
            + "?sslmode=verify-full&channelBinding=require&sslrootcert="
            + keys.certificate();
    try (Connection connection = DriverManager.getConnection(bound, "alice", Postgres.PASSWORD);
        ResultSet rows =
            connection
                .createStatement()
                .executeQuery("select ssl from pg_stat_ssl where pid = pg_backend_pid()")) {
      assertThat(rows.next()).isTrue();
      assertThat(rows.getBoolean(1)).isTrue();
    }
    Tools.Result psql =
        Tools.run(
            folder,
            Map.of("PGPASSWORD", Postgres.PASSWORD, "PGSSLROOTCERT", keys.certificate().toString()),
            List.of(
                Tools.PROGRAMS + "/psql",
                "-XAtc",
                "select 'in'",
                "host=127.0.0.1 port=%d dbname=app user=alice sslmode=verify-full channel_binding=require"
                    .formatted(encrypted.address().getPort())));
    assertThat(psql.output()).isEqualTo("in\n");
  }

  @Test
  void aRuleMayAskForTls() throws Exception {
    postgres.sql(
        "postgres", "CREATE ROLE only_tls LOGIN PASSWORD " + Postgres.literal(Postgres.PASSWORD));
    DriverManager.getConnection(url(encrypted) + "?sslmode=require", "only_tls", Postgres.PASSWORD)
        .close();
    assertThatThrownBy(
            () ->
                DriverManager.getConnection(
                    url(encrypted) + "?sslmode=disable", "only_tls", Postgres.PASSWORD))
        .hasMessageContaining("no entry of access lets in");
  }

  @Test
  void aServerWhoseCertificateIsAnothersIsNotEntered() throws Exception {
    try (QueryServer own = QueryServer.start(encrypting(keys.certificate()))) {
      assertThatThrownBy(() -> DriverManager.getConnection(url(own), "alice", Postgres.PASSWORD))
          .hasMessageContaining("no TLS with the server at " + postgres.address);
    }
  }

  @Test
  void aRoleThatMayNotLookUpPasswordsIsNamed() throws Exception {
    postgres.sql(
        "postgres", "CREATE ROLE blind LOGIN PASSWORD " + Postgres.literal(Postgres.PASSWORD));
    QueryConfig blind =
        TestConfig.with(folder, postgres.address, "blind", 500, QueryConfig.DEFAULTS.tls(), null);
    try (QueryServer own = QueryServer.start(blind)) {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> DriverManager.getConnection(url(own), "alice", Postgres.PASSWORD))
            .hasMessageContaining("the role blind cannot look up passwords: permission denied");
      }
    }
  }

  @Test
  void aWrongPasswordAndNobodyAreRefusedAlike() throws Exception {
    for (String user : List.of("alice", "zoe")) {
      assertThatThrownBy(() -> DriverManager.getConnection(url, user, "wrong"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"))
          .hasMessageContaining("password authentication failed for user \"" + user + "\"");
    }
    assertThatThrownBy(() -> DriverManager.getConnection(url, "nobody", "x"))
        .hasMessageContaining("no entry of access lets in host \"127.0.0.1\", user \"nobody\"");
    assertThatThrownBy(
            () ->
                DriverManager.getConnection(
                    url.replace("/app", "/missing"), "alice", Postgres.PASSWORD))
        .hasMessageContaining("database \"missing\" does not exist");
  }

  @Test
  void aChangedPasswordHoldsAtOnce() throws Exception {
    postgres.sql("postgres", "CREATE ROLE bob LOGIN PASSWORD 'one'");
    try (Connection bob = DriverManager.getConnection(url, "bob", "one")) {
      assertThat(bob.isValid(60)).isTrue();
    }
    postgres.sql("postgres", "ALTER ROLE bob PASSWORD 'two'");
    assertThatThrownBy(() -> DriverManager.getConnection(url, "bob", "one"))
        .hasMessageContaining("password authentication failed");
    DriverManager.getConnection(url, "bob", "two").close();
    postgres.sql("postgres", "ALTER ROLE bob VALID UNTIL '2020-01-01'");
    assertThatThrownBy(() -> DriverManager.getConnection(url, "bob", "two"))
        .hasMessageContaining("password authentication failed");
  }

  @Test
  void startupsThatCannotBeServedAreRefused() throws Exception {
    assertThat(refusal(Map.of("user", "trusted", "replication", "true"))).isEqualTo("0A000");
    assertThat(refusal(Map.of("database", "app"))).isEqualTo("28000");
    try (RawClient client = new RawClient(replicator.address())) {
      assertThat(client.askForTls()).isEqualTo('N');
      client.send(RawClient.version(2 << 16));
      assertThat(client.readToEnd()).extracting(Frame::type).containsExactly('E');
    }
  }

  private static String refusal(Map<String, String> parameters) throws Exception {
    try (RawClient client = new RawClient(replicator.address())) {
      client.send(RawClient.start(parameters));
      List<Frame> all = client.readToEnd();
      assertThat(all).extracting(Frame::type).containsExactly('E');
      return ErrorFields.read(all.get(0).body()).sqlState();
    }
  }

  @Test
  void whenItStopsIdleSessionsEndAndTransactionsMayFinish() throws Exception {
    QueryConfig patient =
        TestConfig.with(
            folder, postgres.address, "mgtm", 120_000, QueryConfig.DEFAULTS.tls(), null);
    QueryServer own = QueryServer.start(patient);
    try (RawClient idle = RawClient.trusted(own.address());
        RawClient busy = RawClient.trusted(own.address())) {
      busy.send(RawClient.message('Q', "begin"));
      busy.readTo('Z');
      CompletableFuture<Void> closing = CompletableFuture.runAsync(own::close);
      assertThat(idle.readToEnd()).extracting(Frame::type).containsExactly('E');
      busy.send(RawClient.message('Q', "select 1"));
      assertThat(busy.readTo('Z')).isEqualTo("TDCZ");
      busy.send(RawClient.message('Q', "commit"));
      assertThat(busy.readToEnd()).extracting(Frame::type).containsExactly('C', 'Z', 'E');
      closing.get(180, TimeUnit.SECONDS);
    } finally {
      own.close();
    }
  }

  @Test
  void aServerThatIsNotThereIsNamed() throws Exception {
    QueryServer own = QueryServer.start(TestConfig.of(folder, new HostPort("127.0.0.1", 1)));
    try (RawClient client = new RawClient(own.address())) {
      client.send(RawClient.start(Map.of("user", "trusted")));
      ErrorFields told = ErrorFields.read(client.readToEnd().get(0).body());
      assertThat(told.sqlState()).isEqualTo("08001");
      assertThat(told.message()).startsWith("cannot connect to the server at 127.0.0.1:1");
    } finally {
      own.close();
    }
  }
}
