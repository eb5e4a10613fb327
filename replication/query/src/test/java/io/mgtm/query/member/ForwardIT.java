package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.fleet.ForwardKey;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Messages;
import io.mgtm.query.wire.StartupPacket;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import io.mgtm.testing.TestKeys;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients connect to a replicator that follows, before one real server. */
class ForwardIT {
  private static final int COUNT = 3;

  @TempDir private static Path folder;
  private static final List<QueryConfig> configs = new ArrayList<>();
  private static final List<QueryServer> replicators = new ArrayList<>();
  private static TestKeys keys;
  private static Cluster cluster;

  /** What may be tried again: on a busy machine another one may come to lead at any moment. */
  private interface Attempt {
    void run() throws Exception;
  }

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    keys = TestKeys.make(folder, "replicators", OwnAddress.HOST);
    String sql =
        "create table counter (id int primary key, n int); insert into counter values (1, 0)";
    cluster = new Cluster(folder, 1, "dtp", sql);
    String members = "q0=%s,q1=%s,q2=%s".formatted(address(), address(), address());
    for (int i = 0; i < COUNT; i++) {
      configs.add(config("q" + i, members));
      replicators.add(QueryServer.start(configs.get(i)));
    }
  }

  private static HostPort address() {
    return new HostPort(OwnAddress.HOST, OwnAddress.port());
  }

  private static QueryConfig config(String name, String members) throws Exception {
    List<HostPort> servers = List.of(cluster.servers.get(0).address);
    QueryConfig of =
        TestConfig.member(TestConfig.several(folder, servers, 8 << 20, 60_000), name, members);
    List<String> access = new ArrayList<>(List.of("host all all 127.0.0.9/32 reject"));
    access.addAll(of.access());
    return new QueryConfig(
            of.listen(),
            servers,
            1,
            of.reads(),
            of.data(),
            of.admin(),
            access,
            of.group(),
            of.role(),
            new QueryConfig.Tls(keys.certificate(), keys.key()),
            of.serverTls(),
            of.threads(),
            120_000,
            of.limits(),
            new QueryConfig.Timeouts(60_000, 60_000, 3_000, 60_000))
        .validated();
  }

  @AfterAll
  static void stop() throws Exception {
    replicators.forEach(QueryServer::close);
    if (cluster != null) {
      cluster.close();
    }
  }

  private static QueryServer serving() {
    Await.until("one that serves", () -> replicators.stream().anyMatch(QueryServer::serves));
    return replicators.stream().filter(QueryServer::serves).findFirst().orElseThrow();
  }

  private static QueryServer follower() {
    QueryServer serves = serving();
    return replicators.stream().filter(one -> one != serves).findFirst().orElseThrow();
  }

  private static void startAgain(QueryServer one) throws Exception {
    int at = replicators.indexOf(one);
    replicators.set(at, QueryServer.start(configs.get(at)));
  }

  private static void attempt(String what, Attempt attempt) {
    Await.untilAsserted(
        what,
        () -> {
          try {
            attempt.run();
          } catch (SQLException | IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  private static void count(QueryServer at) throws SQLException {
    String url =
        "jdbc:postgresql://%s/app?sslmode=verify-full&channelBinding=require&sslrootcert=%s"
            .formatted(HostPort.of(at.address()), keys.certificate());
    try (Connection alice = DriverManager.getConnection(url, "alice", Postgres.PASSWORD);
        Statement statement = alice.createStatement()) {
      statement.execute("update counter set n = n + 1 where id = 1");
      try (ResultSet rows = statement.executeQuery("select n from counter where id = 1")) {
        rows.next();
        assertThat(rows.getInt(1)).isPositive();
      }
    }
  }

  private static boolean counts(QueryServer at) {
    try {
      count(at);
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  @Test
  void theyReadAndWriteAndAreEncryptedUpToTheOneThatServes() {
    attempt(
        "a client of a follower",
        () -> {
          QueryServer at = follower();
          try (RawClient client = RawClient.trusted(at.address())) {
            assertThat(at.forwarded()).isPositive();
            count(at);
            client.send(RawClient.message('Q', "select 1"));
            assertThat(client.readTo('Z')).isEqualTo("TDCZ");
          }
          assertThat(at.serves()).isFalse();
        });
  }

  @Test
  void rulesSeeTheAddressOfTheClient() {
    attempt(
        "a client that is refused by its address",
        () -> {
          QueryServer at = follower();
          try (RawClient client = new RawClient(at.address(), InetAddress.getByName("127.0.0.9"))) {
            client.send(RawClient.start(Map.of("user", "trusted", "database", "app")));
            ErrorFields told = ErrorFields.read(client.readToEnd().get(0).body());
            assertThat(told.message())
                .startsWith("no entry of access lets in host \"127.0.0.9\", user \"trusted\"");
          }
          RawClient.trusted(at.address()).close();
          assertThat(at.serves()).isFalse();
        });
  }

  @Test
  void aStrangerCannotClaimAnAddress() throws Exception {
    StartupPacket.Forward says =
        new StartupPacket.Forward("q1", InetAddress.getByName("127.0.0.8"));
    attempt(
        "a claim without the key",
        () -> {
          try (RawClient stranger = new RawClient(serving().address())) {
            stranger.send(Messages.forward(UnpooledByteBufAllocator.DEFAULT, says));
            byte[] challenge = stranger.readBytes(ForwardKey.CHALLENGE_BYTES);
            assertThat(challenge).hasSize(ForwardKey.CHALLENGE_BYTES);
            String proof = ForwardKey.draw().proof(challenge, says);
            stranger.send(Messages.proof(UnpooledByteBufAllocator.DEFAULT, proof));
            assertThat(stranger.readBytes(1)).isEmpty();
          }
        });
    attempt(
        "a follower that does not forward it",
        () -> {
          try (RawClient stranger = new RawClient(follower().address())) {
            stranger.send(Messages.forward(UnpooledByteBufAllocator.DEFAULT, says));
            assertThat(stranger.readBytes(1)).isEmpty();
          }
        });
  }

  @Test
  void requestsToCancelReachTheOneThatServes() {
    attempt(
        "a statement that is cancelled",
        () -> {
          QueryServer at = follower();
          try (RawClient client = RawClient.trusted(at.address())) {
            client.send(RawClient.message('Q', "select pg_sleep(600)"));
            CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> answer(client));
            Await.until(
                "it to be cancelled",
                () -> {
                  client.requestCancel(at.address());
                  return answer.isDone();
                });
            assertThat(answer.join()).isEqualTo("57014");
          }
        });
  }

  private static String answer(RawClient client) {
    try {
      Frame frame = client.read();
      while (frame.type() != 'E') {
        frame = client.read();
      }
      return ErrorFields.read(frame.body()).sqlState();
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Test
  void whoComesDuringATakeoverWaitsAndIsServed() {
    Await.until(
        "logins that wait",
        () -> {
          QueryServer old = serving();
          CompletableFuture<Void> closing = CompletableFuture.runAsync(old::close);
          List<CompletableFuture<Boolean>> logins =
              replicators.stream()
                  .filter(one -> one != old)
                  .map(one -> CompletableFuture.supplyAsync(() -> counts(one)))
                  .toList();
          boolean all = true;
          for (CompletableFuture<Boolean> login : logins) {
            all &= login.get(180, TimeUnit.SECONDS);
          }
          closing.get(180, TimeUnit.SECONDS);
          startAgain(old);
          return all;
        });
  }

  @Test
  void whenAFollowerStopsItsClientsFinish() {
    attempt(
        "sessions that are drained",
        () -> {
          QueryServer at = follower();
          CompletableFuture<Void> closing = null;
          try (RawClient idle = RawClient.trusted(at.address());
              RawClient busy = RawClient.trusted(at.address())) {
            busy.send(RawClient.message('Q', "begin"));
            busy.readTo('Z');
            closing = CompletableFuture.runAsync(at::close);
            assertThat(idle.readToEnd()).extracting(Frame::type).containsExactly('E');
            busy.send(RawClient.message('Q', "select 1"));
            assertThat(busy.readTo('Z')).isEqualTo("TDCZ");
            busy.send(RawClient.message('Q', "commit"));
            assertThat(busy.readToEnd()).extracting(Frame::type).containsExactly('C', 'Z', 'E');
          } finally {
            if (closing != null) {
              closing.get(180, TimeUnit.SECONDS);
              startAgain(at);
            }
          }
        });
  }
}
