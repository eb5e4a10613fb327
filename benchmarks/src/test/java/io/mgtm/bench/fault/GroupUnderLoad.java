package io.mgtm.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.check.GivenOut;
import io.mgtm.bench.failover.GroupOperator;
import io.mgtm.bench.load.MixedLoad;
import io.mgtm.common.HostPort;
import io.mgtm.gtm.client.AdminClient;
import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.local.LocalInstallation;
import io.mgtm.local.LocalSettings;
import io.mgtm.testing.Await;
import io.mgtm.testing.ClassArchive;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** Three node processes, a proxy process, and load through it, for a test that breaks things. */
final class GroupUnderLoad implements AutoCloseable {
  static final int LEADER_MS = 180_000;
  private static final int CONNECTIONS = 8;
  private static final int REQUEST_MS = 300_000;
  private static final int AWAIT_MS = 300_000;

  /** A small part of what the machine can do: it lasts as long as all that is waited for. */
  private static final int REST_MICROS = 16_000;

  /** A process that lives for seconds spends most of them on compiling for a long life. */
  private static final List<String> SHORT_LIFE = List.of("-XX:TieredStopAtLevel=1");

  private final LocalInstallation group;
  private final GroupOperator operator;
  private final MixedLoad load;
  private final GivenOut givenOut;
  private final List<Long> pausesMs = new ArrayList<>();

  private GroupUnderLoad(LocalInstallation group, MixedLoad load, GivenOut givenOut) {
    this.group = group;
    this.operator = new GroupOperator(group);
    this.load = load;
    this.givenOut = givenOut;
  }

  /** An installation on ports of this test's own. */
  static LocalSettings settings(Path folder, int nodes, String mode) {
    List<HostPort> at =
        OwnAddress.addresses(2 * nodes + 1).stream()
            .map(address -> new HostPort(OwnAddress.HOST, address.getPort()))
            .toList();
    return new LocalSettings(
        folder,
        at.subList(0, nodes),
        at.subList(nodes, 2 * nodes),
        at.get(2 * nodes),
        mode,
        jvmOptions(),
        List.of());
  }

  /** With the archive of the classes of the jar that processes run from. */
  static List<String> jvmOptions() {
    List<String> options = new ArrayList<>(LocalSettings.JVM_OPTIONS);
    options.addAll(ClassArchive.options(Path.of(System.getProperty("mgtm.localJar", ""))));
    return options;
  }

  static GroupUnderLoad start(Path folder) throws IOException, InterruptedException {
    return start(settings(folder, 3, "fifo"));
  }

  /**
   * In mode lazy a new leader waits for all gateways, however slow the machine is.
   *
   * @param folder that the nodes' configuration is written to
   */
  static LocalSettings patient(LocalSettings settings, Path folder) throws IOException {
    return ConfiguredNodes.of(settings, folder, "group: {recoveryWaitMs: 30000}\n");
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
      running.awaitProgress(250);
      load.takeLongestMs();
      return running;
    } catch (IOException | RuntimeException | Error e) {
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

  /**
   * Waits until so many more requests are answered: the group serves. However slow the machine is,
   * only one that answers nothing for a while is given up.
   */
  void awaitProgress(long requests) {
    long until = load.served() + requests;
    while (load.served() < until) {
      awaitAnswer();
    }
  }

  /** Waits for one more answer; fails when none comes, or an error. */
  private void awaitAnswer() {
    awaitAnswer(load, "an answer; see " + group.settings().folder());
    assertThat(load.firstErrors()).as("failed requests").isEmpty();
  }

  private static void awaitAnswer(MixedLoad load, String what) {
    long served = load.served();
    Await.until(what, () -> load.served() > served || !load.firstErrors().isEmpty());
  }

  /** Waits until so many more requests of another load are answered. */
  static void awaitServed(MixedLoad load, long requests) {
    long until = load.served() + requests;
    while (load.served() < until && load.firstErrors().isEmpty()) {
      awaitAnswer(load, "an answer of the member");
    }
  }

  /** What a node is asked. */
  private interface Question {
    /** Returns null when it is so, and what is in the way when it is not. */
    String obstacle() throws IOException;
  }

  /** Asks again and again: a node may be busy for longer than an answer is waited for. */
  private void await(String what, Question question) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(AWAIT_MS);
    while (true) {
      String obstacle;
      try {
        obstacle = question.obstacle();
      } catch (IOException e) {
        obstacle = e.toString();
      }
      if (obstacle == null) {
        return;
      }
      assertThat(System.nanoTime() - end)
          .as("%s, in %d ms; at last: %s", what, AWAIT_MS, obstacle)
          .isNegative();
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  /** Waits until so many members vote and follow, as the leader tells. */
  void awaitVoters(int voters) throws InterruptedException {
    await(
        voters + " members vote",
        () -> {
          long now = operator.voters(group.awaitLeader(LEADER_MS));
          return now == voters ? null : now + " do";
        });
  }

  /**
   * Waits until all nodes vote and each of them knows it: one that the leader lets vote again, and
   * that has not heard so yet, does not lead when the leader dies at that moment.
   */
  void awaitAllVote() throws InterruptedException {
    int nodes = group.settings().nodes();
    awaitVoters(nodes);
    for (int i = 0; i < nodes; i++) {
      int node = i;
      await(
          group.settings().name(i) + " knows that " + nodes + " vote",
          () -> {
            long known =
                operator.status(node).members().stream()
                    .filter(NodeStatus.MemberStatus::voter)
                    .count();
            return known == nodes ? null : "it knows of " + known;
          });
    }
  }

  /** Waits until every node says that it takes commands, as all do in mode total. */
  void awaitAllServe() throws InterruptedException {
    for (int i = 0; i < group.settings().nodes(); i++) {
      int node = i;
      await(
          group.settings().name(i) + " serves", () -> operator.serves(node) ? null : "it does not");
    }
  }

  /** Waits until exactly these nodes say that they lead and take commands. */
  void awaitServing(Set<Integer> nodes) throws InterruptedException {
    await(
        "those that serve are " + nodes,
        () -> {
          Set<Integer> now = serving();
          return now.equals(nodes) ? null : "they are " + now;
        });
  }

  /**
   * Waits until a leader, by name, serves no more, and one other does.
   *
   * @return the other
   */
  int awaitSuccessor(String of) throws InterruptedException {
    Set<Integer> now = new TreeSet<>();
    await(
        "another leads than " + of,
        () -> {
          now.clear();
          now.addAll(serving());
          boolean old = now.stream().anyMatch(node -> group.settings().name(node).equals(of));
          return now.size() == 1 && !old ? null : "those that serve are " + now;
        });
    return now.iterator().next();
  }

  private Set<Integer> serving() throws IOException {
    Set<Integer> now = new TreeSet<>();
    for (int i = 0; i < group.settings().nodes(); i++) {
      if (operator.serves(i)) {
        now.add(i);
      }
    }
    return now;
  }

  /** Waits until the leader warns of something; of nothing, when that is empty. */
  void awaitWarning(String what) throws InterruptedException {
    await(
        what.isEmpty() ? "no warnings" : "a warning: " + what,
        () -> {
          List<String> now = operator.status(group.awaitLeader(LEADER_MS)).warnings();
          boolean there = what.isEmpty() ? now.isEmpty() : now.toString().contains(what);
          return there ? null : now.toString();
        });
  }

  /** Who leads, and in which term: the same twice when nobody else led in between. */
  record Leadership(String leader, long term) {}

  Leadership leadership() throws InterruptedException {
    Leadership[] found = new Leadership[1];
    await(
        "a leader that tells its term",
        () -> {
          int leader = group.awaitLeader(LEADER_MS);
          found[0] = new Leadership(group.settings().name(leader), operator.status(leader).term());
          return null;
        });
    return found[0];
  }

  /**
   * Lets a member lead, which it does on return. Asks again: under load a leader may refuse for a
   * moment, and what it has granted may run out before a disk that is slow or full is ready.
   */
  void lead(String member) throws InterruptedException {
    await(
        member + " leads",
        () -> {
          int leader = group.awaitLeader(LEADER_MS);
          if (group.settings().name(leader).equals(member)) {
            return null;
          }
          AdminClient.Answer answer = operator.transfer(leader, member);
          return answer.kind() + " " + answer.text();
        });
  }

  /**
   * Waits until another member leads, for so many requests at most: it is what is written that
   * fills a disk, not time.
   */
  void awaitLeaderOtherThan(String member, long requestsMax)
      throws IOException, InterruptedException {
    long until = load.served() + requestsMax;
    while (group.settings().name(group.awaitLeader(LEADER_MS)).equals(member)) {
      assertThat(load.served())
          .as("requests answered while %s still leads", member)
          .isLessThan(until);
      awaitAnswer();
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

  /** Kills a node that does not lead, and starts it again when so many were answered without it. */
  void killFollower(int node, long progress) throws IOException, InterruptedException {
    group.node(node).kill();
    awaitProgress(progress);
    group.restartNode(node);
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

  /** The same, and those that follow are of another fault. */
  List<Long> takePausesMs() {
    List<Long> taken = List.copyOf(pausesMs);
    pausesMs.clear();
    return taken;
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
