package io.mgtm.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.bench.check.GivenOut;
import io.mgtm.bench.load.MixedLoad;
import io.mgtm.gtm.client.AdminClient;
import io.mgtm.proxy.local.LocalInstallation;
import io.mgtm.proxy.local.LocalSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;

/** Three node processes, a proxy process, and load through it, for a test that breaks things. */
final class GroupUnderLoad implements AutoCloseable {
  static final int LEADER_MS = 30_000;
  private static final int CONNECTIONS = 8;
  private static final int REQUEST_MS = 30_000;
  private static final int PROGRESS_MS = 30_000;

  /** A quarter of what the machine can do, more or less: the restarts need the rest. */
  private static final int REST_MICROS = 2_000;

  /** A process that lives for seconds spends most of them on compiling for a long life. */
  private static final List<String> SHORT_LIFE = List.of("-XX:TieredStopAtLevel=1");

  private static final AdminClient.Settings ASK =
      new AdminClient.Settings(2_000, null, SocketFactory.getDefault());

  private final LocalInstallation group;
  private final MixedLoad load;
  private final GivenOut givenOut;
  private final List<Long> pausesMs = new ArrayList<>();

  private GroupUnderLoad(LocalInstallation group, MixedLoad load, GivenOut givenOut) {
    this.group = group;
    this.load = load;
    this.givenOut = givenOut;
  }

  static GroupUnderLoad start(Path folder) throws IOException, InterruptedException {
    return start(LocalSettings.free(folder, 3, "fifo"));
  }

  static GroupUnderLoad start(LocalSettings settings) throws IOException, InterruptedException {
    return start(settings, (name, command) -> command);
  }

  static GroupUnderLoad start(LocalSettings settings, LocalInstallation.Placement placement)
      throws IOException, InterruptedException {
    LocalInstallation group =
        LocalInstallation.start(settings.withJvmOptions(SHORT_LIFE), placement);
    try {
      group.awaitLeader(LEADER_MS);
      GivenOut givenOut = new GivenOut();
      MixedLoad load =
          MixedLoad.start(
              group.proxyAddress().resolve(), CONNECTIONS, givenOut, REQUEST_MS, REST_MICROS);
      GroupUnderLoad running = new GroupUnderLoad(group, load, givenOut);
      running.awaitProgress(1_000);
      load.takeLongestMs();
      return running;
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      group.close();
      throw e;
    }
  }

  LocalInstallation group() {
    return group;
  }

  /** What the load was given; others may note theirs there. */
  GivenOut givenOut() {
    return givenOut;
  }

  /** How many requests were answered so far. */
  long served() {
    return load.served();
  }

  /** More load, beside that through the proxy, directly on a node. */
  MixedLoad loadNode(int node) throws IOException {
    return MixedLoad.start(
        group.settings().clients().get(node).resolve(),
        CONNECTIONS / 2,
        givenOut,
        REQUEST_MS,
        REST_MICROS);
  }

  /** Waits until so many more requests are answered: the group serves. */
  void awaitProgress(long requests) throws InterruptedException {
    long until = load.served() + requests;
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PROGRESS_MS);
    while (load.served() < until) {
      assertThat(System.nanoTime() - end)
          .as("no progress; see %s", group.settings().folder())
          .isNegative();
      assertThat(load.firstErrors()).as("failed requests").isEmpty();
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  /** Waits until so many members vote, as the leader tells. */
  void awaitVoters(int voters) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PROGRESS_MS);
    while (voters() != voters) {
      assertThat(System.nanoTime() - end).as("voters: %d", voters()).isNegative();
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  /** Waits until every node says that it takes commands, as all do in mode total. */
  void awaitAllServe() throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PROGRESS_MS);
    for (int i = 0; i < group.settings().nodes(); i++) {
      while (!serves(i)) {
        assertThat(System.nanoTime() - end).as("node %d serves", i).isNegative();
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
  }

  private boolean serves(int node) throws IOException {
    try (AdminClient client =
        AdminClient.connect(group.settings().clients().get(node).resolve(), ASK)) {
      return client.standing().leading();
    }
  }

  private int voters() throws IOException {
    int leader = group.awaitLeader(LEADER_MS);
    try (AdminClient client =
        AdminClient.connect(group.settings().clients().get(leader).resolve(), ASK)) {
      int voters = 0;
      for (JsonNode member :
          new ObjectMapper().readTree(client.ask("status", "").bytes()).get("members")) {
        voters += member.get("voter").asBoolean() && member.get("lagEntries").asLong() >= 0 ? 1 : 0;
      }
      return voters;
    }
  }

  /**
   * Lets a member lead, which it does on return. Asks again: under load a leader may refuse for a
   * moment, and what it has granted may run out before a disk that is slow or full is ready.
   */
  void lead(String member) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PROGRESS_MS);
    String answer = "not asked";
    while (true) {
      int leader = group.awaitLeader(LEADER_MS);
      if (group.settings().name(leader).equals(member)) {
        return;
      }
      assertThat(System.nanoTime() - end)
          .as("%s does not come to lead; the last answer: %s", member, answer)
          .isNegative();
      try (AdminClient client =
          AdminClient.connect(group.settings().clients().get(leader).resolve(), ASK)) {
        AdminClient.Answer last = client.ask("transfer", member);
        answer = last.kind() + " " + last.text();
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  /** Waits until another member leads. */
  void awaitLeaderOtherThan(String member) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PROGRESS_MS);
    while (group.settings().name(group.awaitLeader(LEADER_MS)).equals(member)) {
      assertThat(System.nanoTime() - end).as("%s still leads", member).isNegative();
      assertThat(load.firstErrors()).as("failed requests").isEmpty();
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  /** Kills the leader, and starts it again when another has answered so many requests. */
  void killLeader(long progress) throws IOException, InterruptedException {
    int leader = group.awaitLeader(LEADER_MS);
    group.node(leader).kill();
    awaitProgress(progress);
    notePause();
    group.restartNode(leader);
  }

  /** Stops the leader, and lets it go on when another leads and has answered so many requests. */
  void hangLeader(long progress) throws IOException, InterruptedException {
    int leader = group.awaitLeader(LEADER_MS);
    group.node(leader).signal("STOP");
    try {
      awaitProgress(progress);
      notePause();
      assertThat(group.awaitLeader(LEADER_MS)).isNotEqualTo(leader);
    } finally {
      group.node(leader).signal("CONT");
    }
  }

  /** Lets another member lead, until so many requests were answered behind it. */
  void transferLeader(long progress) throws IOException, InterruptedException {
    int leader = group.awaitLeader(LEADER_MS);
    lead(group.settings().name((leader + 1) % group.settings().nodes()));
    awaitProgress(progress);
    notePause();
  }

  /** Notes the longest request since the last fault, and the next fault begins. */
  long notePause() {
    long ms = load.takeLongestMs();
    pausesMs.add(ms);
    return ms;
  }

  List<Long> pausesMs() {
    return pausesMs;
  }

  /** Ends the load; nobody saw an error, and nothing was wrong. */
  void verify() throws InterruptedException {
    MixedLoad.Result result = load.finish();
    assertThat(result.firstErrors()).isEmpty();
    assertThat(result.firstFindings()).isEmpty();
    assertThat(result.clean()).isTrue();
  }

  @Override
  public void close() throws IOException {
    try {
      load.close();
    } finally {
      group.close();
    }
  }
}
