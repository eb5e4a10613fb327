package io.mgtm.bench.failover;

import io.mgtm.bench.check.GivenOut;
import io.mgtm.bench.load.MixedLoad;
import io.mgtm.gtm.client.AdminClient;
import io.mgtm.gtm.wire.link.AdminReplyKind;
import io.mgtm.local.ChildProcess;
import io.mgtm.local.LocalInstallation;
import io.mgtm.local.Wait;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** A group under load through its proxy, whose leader is disturbed again and again. */
public final class FailoverRun implements AutoCloseable {
  private static final int LEADER_MS = 60_000;
  private static final int AWAIT_SECONDS = 120;
  private static final int REQUEST_MS = 60_000;

  /** As much as leaves the machine room for what comes back. */
  private static final int REST_MICROS = 2_000;

  /** Of each client, after a fault: it is served again then. */
  private static final int ANSWERS = 20;

  private final LocalInstallation group;
  private final ProcessNetwork network;
  private final GroupOperator operator;
  private final int restMs;
  private final MixedLoad load;

  private FailoverRun(LocalInstallation group, ProcessNetwork network, int restMs, MixedLoad load) {
    this.group = group;
    this.network = network;
    this.operator = new GroupOperator(group);
    this.restMs = restMs;
    this.load = load;
  }

  /**
   * Starts the load, and waits until all members follow.
   *
   * @param network that the processes are placed in; null for none
   * @param restMs how long nothing is done before each fault
   */
  public static FailoverRun start(
      LocalInstallation group, ProcessNetwork network, int connections, int restMs)
      throws IOException, InterruptedException {
    return start(group, network, connections, restMs, new GivenOut());
  }

  /**
   * The same on a group that was under load before.
   *
   * @param givenOut what earlier loads have seen
   */
  public static FailoverRun start(
      LocalInstallation group,
      ProcessNetwork network,
      int connections,
      int restMs,
      GivenOut givenOut)
      throws IOException, InterruptedException {
    group.awaitLeader(LEADER_MS);
    FailoverRun run =
        new FailoverRun(
            group,
            network,
            restMs,
            MixedLoad.start(
                group.proxyAddress().resolve(), connections, givenOut, REQUEST_MS, REST_MICROS));
    try {
      run.awaitVoters();
      run.awaitAnswers();
      return run;
    } catch (IOException | InterruptedException | RuntimeException e) {
      run.close();
      throw e;
    }
  }

  private void await(String what, Wait.Condition condition)
      throws IOException, InterruptedException {
    Wait.until(
        "%s; the nodes' logs are in %s".formatted(what, group.settings().folder()),
        AWAIT_SECONDS,
        () -> {
          boolean holds = isAnsweredYes(condition);
          if (!holds && load.failed() > 0) {
            throw new IOException("a request failed: " + load.firstErrors());
          }
          return holds;
        });
  }

  private static boolean isAnsweredYes(Wait.Condition condition) throws InterruptedException {
    try {
      return condition.holds();
    } catch (IOException e) {
      return false; // Who was asked is not there now, which is what is waited for.
    }
  }

  private void awaitVoters() throws IOException, InterruptedException {
    await(
        "all members follow",
        () -> operator.voters(group.awaitLeader(LEADER_MS)) == group.settings().nodes());
  }

  /** Waits until each client was answered, so that no wait of this fault is left out. */
  private void awaitAnswers() throws IOException, InterruptedException {
    long[] before = load.servedEach();
    await(
        "every client was answered " + ANSWERS + " times",
        () -> {
          long[] now = load.servedEach();
          return IntStream.range(0, now.length).allMatch(i -> now[i] - before[i] >= ANSWERS);
        });
  }

  /** A round: the waits before the fault, and those of it, are noted. */
  public void round(FaultKind kind, Pauses before, Pauses during)
      throws IOException, InterruptedException {
    awaitVoters();
    awaitAnswers();
    load.takeLongestNanosEach();
    TimeUnit.MILLISECONDS.sleep(restMs);
    awaitAnswers();
    before.add(load.takeLongestNanosEach());
    int leader = group.awaitLeader(LEADER_MS);
    switch (kind) {
      case NONE -> note(during);
      case KILL -> {
        group.node(leader).kill();
        note(during);
        group.restartNode(leader);
      }
      case HANG -> hang(group.node(leader), during);
      case CUT -> cut(leader, during);
      case TRANSFER -> transfer(leader, during);
      case RESTART -> restartAll(during);
    }
  }

  private void note(Pauses during) throws IOException, InterruptedException {
    awaitAnswers();
    during.add(load.takeLongestNanosEach());
  }

  private void hang(ChildProcess leader, Pauses during) throws IOException, InterruptedException {
    leader.signal("STOP");
    try {
      note(during);
    } finally {
      leader.signal("CONT");
    }
  }

  private void cut(int leader, Pauses during) throws IOException, InterruptedException {
    String name = group.settings().name(leader);
    try {
      network.cut(name, network.names().stream().filter(other -> !other.equals(name)).toList());
      note(during);
    } finally {
      network.heal();
    }
  }

  private void transfer(int leader, Pauses during) throws IOException, InterruptedException {
    String next = group.settings().name((leader + 1) % group.settings().nodes());
    AdminClient.Answer answer = operator.transfer(leader, next);
    if (answer.kind() != AdminReplyKind.DONE) {
      throw new IOException("transfer to " + next + ": " + answer.text());
    }
    note(during);
  }

  private void restartAll(Pauses during) throws IOException, InterruptedException {
    for (int i = 0; i < group.settings().nodes(); i++) {
      group.node(i).close();
      awaitAnswers();
      group.restartNode(i);
      awaitVoters();
    }
    note(during);
  }

  /** Ends the load; what all of it saw. */
  public MixedLoad.Result finish() throws InterruptedException {
    return load.finish();
  }

  @Override
  public void close() throws IOException {
    load.close();
  }
}
