package io.mgtm.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.check.GivenOut;
import io.mgtm.bench.failover.ProcessNetwork;
import io.mgtm.common.HostPort;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.local.ChildProcess;
import io.mgtm.local.LocalSettings;
import io.mgtm.proxy.ProxyMain;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Groups of mode lazy, whose leader acknowledges what nobody else has yet, and is killed under
 * load: through the proxy, which gives back what was lost, no request fails, no gxid and no value
 * comes twice, no snapshot is wrong.
 */
@Tag("long")
class LazyGroupIT {
  private static final Logger log = LoggerFactory.getLogger(LazyGroupIT.class);
  private static final int KILLS = 3;

  /** Below what a GTM takes, however long the second proxy's client goes on. */
  private static final int OPEN_MAX = 1_000;

  @TempDir Path folder;
  @TempDir Path scratch;

  @Test
  void leadersOfTwoThatAreKilledOneAfterAnotherAreNotMissed() throws Exception {
    killLeaders(2);
  }

  @Test
  void leadersOfThreeThatAreKilledOneAfterAnotherAreNotMissed() throws Exception {
    killLeaders(3);
  }

  private void killLeaders(int nodes) throws IOException, InterruptedException {
    try (GroupUnderLoad running =
        GroupUnderLoad.start(
            GroupUnderLoad.patient(GroupUnderLoad.settings(folder, nodes, "lazy"), scratch))) {
      running.awaitAllVote();
      for (int i = 0; i < KILLS; i++) {
        running.killLeader(2_000);
        running.awaitAllVote();
        running.awaitProgress(1_000);
      }
      running.verify();
      log.info(
          "{} nodes, leader killed: longest request in ms {}; entries that the proxy gave back: {}",
          nodes,
          running.pausesMs(),
          recovered());
      assertThat(recovered()).hasSizeGreaterThanOrEqualTo(KILLS);
      assertThat(said("what others may have seen is skipped")).isEmpty();
    }
  }

  @Test
  void whatOnlyTheDeadLeaderHadComesBackFromTheProxy() throws Exception {
    int rounds = 3;
    try (ProcessNetwork network = TestNetwork.make("g1", "g2", "proxy");
        GroupUnderLoad running =
            GroupUnderLoad.start(
                GroupUnderLoad.patient(
                    network.installation(
                        folder, List.of("g1", "g2"), "lazy", GroupUnderLoad.jvmOptions()),
                    scratch),
                network::place)) {
      for (int i = 0; i < rounds; i++) {
        running.awaitAllVote();
        int leader = running.group().awaitLeader(GroupUnderLoad.LEADER_MS);
        // The other way stays open: a leader that gives up the other member goes on alone.
        LocalSettings settings = running.group().settings();
        network.lose(settings.name(leader), settings.name(1 - leader));
        running.awaitProgress(100);
        running.group().node(leader).kill();
        running.awaitProgress(1_000);
        network.heal(); // later: a dead process's system still sends what it had written
        running.notePause();
        running.group().restartNode(leader);
      }
      running.verify();
      log.info(
          "2 nodes, leader heard no more and killed: longest request in ms {}; entries that the proxy gave back: {}",
          running.pausesMs(),
          recovered());
      assertThat(recovered().stream().filter(entries -> entries > 0))
          .hasSizeGreaterThanOrEqualTo(rounds);
      assertThat(said("what others may have seen is skipped")).isEmpty();
    }
  }

  /** How many entries each recovery brought, as the new leaders say. */
  private List<Integer> recovered() throws IOException {
    return said(" entries came from gateways in ").stream()
        .map(line -> line.replaceFirst(" entries came from gateways in .*", ""))
        .map(line -> Integer.valueOf(line.substring(line.lastIndexOf(' ') + 1)))
        .toList();
  }

  private List<String> said(String what) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String node : List.of("g1", "g2", "g3")) {
      Path file = folder.resolve(node + ".log");
      if (Files.exists(file)) {
        Files.readAllLines(file).stream().filter(line -> line.contains(what)).forEach(lines::add);
      }
    }
    return lines;
  }

  @Test
  void aPlannedTransferLosesNothingAndWaitsForNobody() throws Exception {
    try (GroupUnderLoad running =
        GroupUnderLoad.start(GroupUnderLoad.settings(folder, 2, "lazy"))) {
      running.awaitAllVote();
      for (int i = 0; i < 2; i++) {
        int leader = running.group().awaitLeader(GroupUnderLoad.LEADER_MS);
        running.group().node(leader).close();
        running.awaitProgress(1_000);
        running.notePause();
        running.group().restartNode(leader);
        running.awaitAllVote();
      }
      running.verify();
      log.info("2 nodes, leader stopped: longest request in ms {}", running.pausesMs());
    }
  }

  @Test
  void aProxyThatDiesWithTheLeaderLeavesNothingThatComesTwice() throws Exception {
    try (GroupUnderLoad running = GroupUnderLoad.start(GroupUnderLoad.settings(folder, 2, "lazy"));
        SecondProxy second = new SecondProxy(running.group().settings())) {
      running.awaitAllVote();
      GivenOut givenOut = running.givenOut();
      Set<Integer> open = ConcurrentHashMap.newKeySet();
      Set<Integer> twice = ConcurrentHashMap.newKeySet();
      Thread client = second.beginTransactions(givenOut, open, twice);
      while (open.size() < 500) {
        Thread.onSpinWait();
        assertThat(client.isAlive()).isTrue();
      }
      int leader = running.group().awaitLeader(GroupUnderLoad.LEADER_MS);
      second.killWith(running.group().node(leader));
      client.join();
      assertThat(twice).isEmpty();
      running.awaitProgress(2_000);
      running.notePause();
      assertThat(said("what others may have seen is skipped")).hasSize(1);
      try (GtmClient asks = GtmClient.connect(running.group().proxyAddress().resolve())) {
        Set<Integer> left =
            asks.transactions().transactions().stream()
                .map(TransactionReply.TransactionInfo::gxid)
                .collect(Collectors.toSet());
        left.retainAll(open);
        assertThat(left).as("open transactions of the proxy that died").isEmpty();
      }
      running.group().restartNode(leader);
      running.awaitAllVote();
      running.verify();
      log.info("2 nodes, leader and a proxy killed: longest request in ms {}", running.pausesMs());
    }
  }

  /** A proxy beside the one of the load, with a client that begins transactions. */
  private final class SecondProxy implements AutoCloseable {
    private final HostPort address;
    private final ChildProcess process;

    SecondProxy(LocalSettings settings) throws IOException, InterruptedException {
      address = new HostPort(OwnAddress.HOST, OwnAddress.port());
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(settings.jvm());
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      command.addAll(List.of(ProxyMain.class.getName(), "start", "--name", "second"));
      command.addAll(List.of("--listen", address.toString(), "--gtm", settings.clientList()));
      process = ChildProcess.start("second", command, folder.resolve("second.log"));
      process.awaitReady(GroupUnderLoad.LEADER_MS);
    }

    /** Begins transactions and leaves the newest open, until the proxy is no more. */
    Thread beginTransactions(GivenOut givenOut, Set<Integer> open, Set<Integer> twice) {
      Thread thread =
          new Thread(
              () -> {
                try (GtmClient client = GtmClient.connect(address.resolve())) {
                  Deque<Integer> still = new ArrayDeque<>();
                  while (true) {
                    int gxid = client.begin();
                    open.add(gxid);
                    still.addLast(gxid);
                    if (still.size() > OPEN_MAX) {
                      client.rollback(still.removeFirst());
                    }
                    if (!givenOut.addGxid(gxid)) {
                      twice.add(gxid);
                    }
                  }
                } catch (IOException e) {
                  log.info("The second proxy's client ends: {}", e.getMessage());
                }
              },
              "second-client");
      thread.setDaemon(true);
      thread.start();
      return thread;
    }

    /** Both at once. */
    void killWith(ChildProcess node) throws IOException, InterruptedException {
      process.signal("KILL");
      node.signal("KILL");
      node.kill();
      process.kill();
    }

    @Override
    public void close() {
      process.close();
    }
  }
}
