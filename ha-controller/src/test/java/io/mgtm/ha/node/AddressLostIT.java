package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.OperatorCommand.Stop;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.kit.Kits;
import io.mgtm.ha.kit.Rig;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A PostgreSQL whose address is lost while a client writes, which is on another machine. */
class AddressLostIT {
  private static final long PID = ProcessHandle.current().pid();
  private static final String ID = Long.toString(PID, 36);
  private static final String HERE = "ml" + ID;
  private static final String THERE = "mm" + ID;
  private static final String OTHER = "mgtm-lost-" + ID;
  private static final String NET = "198.19.%d.".formatted(PID % 250);
  private static final String ADDRESS = NET + "5";
  private static final String BIN = "/usr/lib/postgresql/15/bin";
  private static final int SOME = 20;

  /** The machine has an address of its own, the client one, and the service none yet. */
  private static final String CONNECT =
      """
      set -e
      ip netns add %3$s
      ip link add %1$s type veth peer name %2$s netns %3$s
      ip address add %4$s1/24 dev %1$s
      ip link set %1$s up
      ip -n %3$s address add %4$s9/24 dev %2$s
      ip -n %3$s link set %2$s up
      """
          .formatted(HERE, THERE, OTHER, NET);

  private static final String DATABASE =
      """
      set -e
      chmod 755 %1$s
      install -d -o postgres -m 700 %1$s/pg
      cd /
      setpriv --reuid postgres --regid postgres --init-groups -- %2$s/initdb --no-sync -D %1$s/pg -A trust
      echo 'host all all 198.19.0.0/16 trust' >>%1$s/pg/pg_hba.conf
      """;

  private static final String HIERARCHIES =
      """
      hierarchies:
        orders:
          nodes: [a]
          resources:
            address: {kit: ip, parameters: {address: %1$s/24, device: %2$s, quickCheckMs: 200}}
            database:
              kit: postgresql
              on: [address]
              parameters:
                data: %3$s/pg
                port: %4$d
                options: "-k %3$s/pg -c listen_addresses=%1$s -c fsync=off -c shared_buffers=16MB -c dynamic_shared_memory_type=mmap"
      """;

  @TempDir private Path folder;
  private final int port = OwnAddress.port();
  private LocalCluster cluster;
  private Client client;

  @BeforeEach
  void start() throws Exception {
    Rig.need("initdb", "arping");
    Rig.shell(CONNECT);
    Rig.shell(DATABASE.formatted(folder, BIN));
    cluster =
        new LocalCluster(
            folder,
            List.of("a", "b", "w"),
            HIERARCHIES.formatted(ADDRESS, HERE, folder, port),
            Kits::of);
    cluster.start("a", "b", "w");
    Await.until("in service", () -> cluster.where("orders").isPresent());
    there("create table numbered (n int primary key)");
    client = new Client();
    client.awaitMore();
  }

  @AfterEach
  void stop() throws Exception {
    if (client != null) {
      client.close();
    }
    if (cluster != null) {
      Await.until(
          "out of service",
          () -> {
            cluster.ask(new Stop("orders"));
            return cluster.state("a", "a", "orders") == State.OUT;
          });
      cluster.close();
    }
    Rig.shell(
        "ip link del %s 2>/dev/null; ip netns del %s 2>/dev/null; true".formatted(HERE, OTHER));
  }

  private List<String> psql() {
    return List.of(
        "ip",
        "netns",
        "exec",
        OTHER,
        "psql",
        "-XqAt",
        "-vON_ERROR_STOP=1",
        "host=%s port=%d user=postgres dbname=postgres".formatted(ADDRESS, port));
  }

  /** What a statement answers, asked on the client's machine. */
  private String there(String sql) throws Exception {
    return Rig.shell("'%s' -c '%s'".formatted(String.join("' '", psql()), sql));
  }

  private String postmaster() throws IOException {
    return Files.readAllLines(folder.resolve("pg/postmaster.pid")).get(0);
  }

  private void isRepairedUnder(String loss) throws Exception {
    String before = postmaster();
    // A neighbour that knows no better goes on sending elsewhere until it is told.
    Rig.shell(
        "%s; ip -n %s neigh replace %s lladdr 02:00:00:00:00:01 dev %s nud reachable"
            .formatted(loss, OTHER, ADDRESS, THERE));

    client.awaitMore();

    assertThat(postmaster()).isEqualTo(before);
    assertThat(client.servers).as("its connection has outlived that").hasSize(1);
    assertThat(cluster.node("a").view().state().events())
        .anySatisfy(
            event -> assertThat(event.what()).contains("is being repaired in place", "address"));
    String mac = Rig.shell("cat /sys/class/net/" + HERE + "/address");
    assertThat(Rig.shell("ip -n %s neigh show %s".formatted(OTHER, ADDRESS))).contains(mac);
    int acknowledged = client.acknowledged;
    assertThat(there("select count(*) from numbered where n <= " + acknowledged))
        .as("nothing is lost")
        .isEqualTo("" + acknowledged);
  }

  @Test
  void addressThatIsRemovedComesBackUnderWhoWrites() throws Exception {
    isRepairedUnder("ip address del %s/24 dev %s".formatted(ADDRESS, HERE));
  }

  @Test
  @Tag("long")
  void deviceThatIsSetDownIsSetUpUnderWhoWrites() throws Exception {
    isRepairedUnder("ip link set %s down".formatted(HERE));
  }

  /** Inserts numbers from 1 on, one after the other, over one connection. */
  private final class Client implements AutoCloseable {
    private final Process process =
        new ProcessBuilder(psql()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    private final Thread thread = new Thread(this::run, "client");
    final Set<String> servers = ConcurrentHashMap.newKeySet();
    volatile int acknowledged;

    Client() throws IOException {
      thread.start();
    }

    private void run() {
      try (Writer statements = process.outputWriter(StandardCharsets.UTF_8);
          BufferedReader answers = process.inputReader(StandardCharsets.UTF_8)) {
        String answer = "";
        for (int next = 1; answer != null; next++) {
          statements.write(
              "insert into numbered values (%d) returning n || ' ' || pg_backend_pid();%n"
                  .formatted(next));
          statements.flush();
          answer = answers.readLine();
          if (answer != null && answer.startsWith(next + " ")) {
            servers.add(answer.substring(answer.indexOf(' ')));
            acknowledged = next;
          }
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
      } catch (IOException e) {
        // It was closed.
      }
    }

    void awaitMore() {
      int before = acknowledged;
      Await.until("rows are written", () -> acknowledged >= before + SOME);
    }

    @Override
    public void close() {
      process.destroyForcibly().onExit().join();
      Await.until("the client has ended", () -> !thread.isAlive());
    }
  }
}
