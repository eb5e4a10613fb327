package io.mgtm.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.fault.History.Operation;
import io.mgtm.gtm.client.ClientSettings;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SnapshotReply;
import io.mgtm.local.LocalInstallation;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Registers built on sequences, and transactions with their snapshots, through the proxy, while
 * leaders are killed and hang: every history is linearizable by the verifier of Lincheck. A
 * snapshot then shows exactly the transactions that had ended at one instant between question and
 * answer, the same order of them for all, which is what snapshot isolation stands on.
 */
@Tag("long")
class LinearizabilityIT {
  private static final int CLIENTS = 4;
  private static final int OPERATIONS = 8;
  private static final int TRANSACTIONS = 2;
  private static final int DISTURBANCES = 4;
  private static final int QUERY_LEASE_MS = 300;

  /** Histories that are checked between two disturbances. */
  private static final int QUIET_WINDOWS = 3;

  private static final int REQUEST_MS = 180_000;
  private static final long SEED = 20_110_914;

  @TempDir Path folder;

  /** Some operations of some clients, on an object that no other history has. */
  private interface Window {
    History run(LocalInstallation group, ExecutorService threads, int number) throws Exception;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, QUERY_LEASE_MS})
  void registersAreLinearizableWhileLeadersDie(int queryLeaseMs) throws Exception {
    checkWhileLeadersDie(queryLeaseMs, LinearizabilityIT::registerWindow);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, QUERY_LEASE_MS})
  void transactionsAndSnapshotsAreLinearizableWhileLeadersDie(int queryLeaseMs) throws Exception {
    checkWhileLeadersDie(queryLeaseMs, LinearizabilityIT::transactionWindow);
  }

  private void checkWhileLeadersDie(int queryLeaseMs, Window window) throws Exception {
    try (LocalInstallation group =
        LocalInstallation.start(
            ConfiguredNodes.of(
                GroupUnderLoad.settings(folder, 3, "fifo"),
                folder,
                "group: {queryLeaseMs: %d}\n".formatted(queryLeaseMs)))) {
      group.awaitLeader(GroupUnderLoad.LEADER_MS);
      ExecutorService threads = Executors.newFixedThreadPool(CLIENTS + 1);
      try {
        AtomicInteger windows = new AtomicInteger();
        Future<?> disturbed = threads.submit(() -> disturb(group, windows));
        do {
          History history = window.run(group, threads, windows.get());
          assertThat(history.isLinearizable()).as("%s", history).isTrue();
          windows.incrementAndGet();
        } while (!disturbed.isDone());
        disturbed.get();
      } finally {
        threads.shutdownNow();
        assertThat(threads.awaitTermination(180, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  /** A history that is whole while a leader is gone shows that another leads. */
  private static void awaitWindows(AtomicInteger windows, int more) {
    int until = windows.get() + more;
    Await.until("histories are checked", () -> windows.get() >= until);
  }

  private static Void disturb(LocalInstallation group, AtomicInteger windows)
      throws IOException, InterruptedException {
    for (int i = 0; i < DISTURBANCES; i++) {
      awaitWindows(windows, QUIET_WINDOWS);
      int leader = group.awaitLeader(GroupUnderLoad.LEADER_MS);
      if (i % 2 == 0) {
        group.node(leader).kill();
        awaitWindows(windows, QUIET_WINDOWS);
        group.restartNode(leader);
      } else {
        group.node(leader).signal("STOP");
        try {
          awaitWindows(windows, 2 * QUIET_WINDOWS);
        } finally {
          group.node(leader).signal("CONT");
        }
      }
    }
    return null;
  }

  private static History registerWindow(
      LocalInstallation group, ExecutorService threads, int number) throws Exception {
    String key = GtmClient.sequenceKey("registers.public.r" + number);
    try (GtmClient client = connect(group)) {
      client.createSequence(key);
      // Twice: the value before becomes the last one.
      client.sequence(new SequenceCommand.SetValue(key, 0, true));
      client.sequence(new SequenceCommand.SetValue(key, 0, true));
    }
    List<Callable<List<Operation>>> clients = new ArrayList<>();
    for (int c = 0; c < CLIENTS; c++) {
      Random random = new Random(SEED + (long) number * CLIENTS + c);
      int client = c;
      clients.add(() -> operations(group, key, client, random));
    }
    return new History(RegisterSpec.class, all(threads, clients));
  }

  private static History transactionWindow(
      LocalInstallation group, ExecutorService threads, int number) throws Exception {
    int before;
    try (GtmClient client = connect(group)) {
      before = client.begin();
      client.commit(before);
    }
    List<Callable<List<Operation>>> clients = new ArrayList<>();
    for (int c = 0; c < CLIENTS; c++) {
      clients.add(() -> transactions(group, before + 1));
    }
    return new History(TransactionSpec.class, all(threads, clients));
  }

  private static List<List<Operation>> all(
      ExecutorService threads, List<Callable<List<Operation>>> clients) throws Exception {
    List<List<Operation>> histories = new ArrayList<>();
    for (Future<List<Operation>> history : threads.invokeAll(clients)) {
      histories.add(history.get());
    }
    return histories;
  }

  private static GtmClient connect(LocalInstallation group) throws IOException {
    ClientSettings usual = ClientSettings.named("registers");
    return GtmClient.connect(
        group.proxyAddress().resolve(),
        new ClientSettings(
            usual.startup(), usual.connectTimeoutMs(), REQUEST_MS, usual.replyBytesMax()));
  }

  private static List<Operation> operations(
      LocalInstallation group, String key, int client, Random random) throws IOException {
    List<Operation> operations = new ArrayList<>();
    try (GtmClient connection = connect(group)) {
      for (int i = 0; i < OPERATIONS; i++) {
        operations.add(operation(connection, key, client * 1_000L + i * 10L, random.nextInt(5)));
      }
    }
    return operations;
  }

  private static Operation operation(GtmClient connection, String key, long to, int choice)
      throws IOException {
    long asked = System.nanoTime();
    return switch (choice) {
      case 0 -> {
        connection.sequence(new SequenceCommand.SetValue(key, to, true));
        yield new Operation("set", to, null, asked, System.nanoTime());
      }
      case 1, 2 -> {
        long answer = connection.nextValue(key);
        yield new Operation("next", null, answer, asked, System.nanoTime());
      }
      default -> {
        long answer = connection.lastValue(key);
        yield new Operation("last", null, answer, asked, System.nanoTime());
      }
    };
  }

  /** Some transactions, one after the other, each with two snapshots. */
  private static List<Operation> transactions(LocalInstallation group, int first)
      throws IOException {
    List<Operation> operations = new ArrayList<>();
    try (GtmClient connection = connect(group)) {
      for (int i = 0; i < TRANSACTIONS; i++) {
        long asked = System.nanoTime();
        int gxid = connection.begin();
        long begun = Integer.toUnsignedLong(gxid - first);
        operations.add(new Operation("begin", null, begun, asked, System.nanoTime()));
        for (int j = 0; j < 2; j++) {
          asked = System.nanoTime();
          long ended = ended(connection.snapshot(gxid), first);
          operations.add(new Operation("snapshot", null, ended, asked, System.nanoTime()));
        }
        asked = System.nanoTime();
        connection.commit(gxid);
        operations.add(new Operation("commit", begun, null, asked, System.nanoTime()));
      }
    }
    return operations;
  }

  /** Which of a window's transactions a snapshot shows as ended. */
  private static long ended(SnapshotReply.Snapshot snapshot, int first) {
    long ended = (1L << (snapshot.xmax() - first)) - 1;
    for (int i = 0; i < snapshot.running().count(); i++) {
      ended &= ~(1L << (snapshot.running().get(i) - first));
    }
    return ended;
  }
}
