package io.mgtm.bench.ha;

import io.mgtm.bench.ha.HaRounds.Round;
import io.mgtm.local.Wait;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A Postgres-XC cluster with a client that commits, of which the leading GTM, the proxy and the
 * coordinator are killed, one after the other.
 */
final class XcRounds implements Disturbed {
  private static final int SECONDS_MAX = HaCluster.PATIENCE_SECONDS;
  private static final int SOME = 20;

  private final XcCluster cluster;
  private final List<String> notes = new ArrayList<>();
  private Commits commits;

  /** Which process is killed, as it is now. */
  private interface Victim {
    Optional<ProcessHandle> now() throws IOException, InterruptedException;
  }

  private XcRounds(XcCluster cluster) {
    this.cluster = cluster;
  }

  /** Starts the cluster and its client. */
  static XcRounds start(Path folder, Path programs, int leaseMs)
      throws IOException, InterruptedException {
    XcRounds rounds = new XcRounds(XcCluster.start(folder, programs, leaseMs));
    try {
      rounds.commits =
          Commits.start(
              Engine.POSTGRESQL,
              rounds.cluster.client()::network,
              XcCluster.coordinator(),
              folder.resolve("client").resolve("session.log"));
      rounds.commits.awaitMore(SOME, SECONDS_MAX);
      return rounds;
    } catch (IOException | InterruptedException | RuntimeException e) {
      rounds.close();
      throw e;
    }
  }

  @Override
  public Round round(HaFault fault, long bytes) throws IOException, InterruptedException {
    long failedBefore = commits.failed();
    double leader = kill("the leading GTM", cluster::leader);
    double proxy = kill("the proxy", cluster::proxy);
    double coordinator = kill("the coordinator", cluster::postmaster);
    notes.add(
        String.format(
            Locale.ROOT,
            "Postgres-XC, longest waits: leading GTM killed %.0f ms, proxy %.0f ms, coordinator %.0f ms.",
            leader,
            proxy,
            coordinator));
    Commits.Verdict verdict = commits.verify();
    return new Round(
        Math.max(leader, Math.max(proxy, coordinator)),
        commits.failed() - failedBefore,
        verdict.lost(),
        verdict.suffix(),
        1,
        XcCluster.NODE,
        XcCluster.NODE);
  }

  /** The longest wait for a commit from then until another process serves in its place. */
  private double kill(String what, Victim victim) throws IOException, InterruptedException {
    cluster.awaitWhole();
    commits.awaitMore(SOME, SECONDS_MAX);
    ProcessHandle killed =
        victim.now().orElseThrow(() -> new IOException(what + " does not run before it is killed"));
    commits.mark();
    killed.destroyForcibly();
    killed.onExit().join();
    Wait.until(
        "another process is there for " + what,
        SECONDS_MAX,
        () -> victim.now().filter(one -> !one.equals(killed)).isPresent());
    commits.awaitMore(SOME, SECONDS_MAX);
    return commits.longestMs();
  }

  @Override
  public List<String> notes() {
    return List.copyOf(notes);
  }

  @Override
  public void close() throws IOException {
    if (commits != null) {
      commits.close();
    }
    cluster.close();
  }
}
