package io.mgtm.bench.ha;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.bench.WorkFolder;
import io.mgtm.bench.ha.HaRounds.Round;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code mgtm ha demo}: a database's process dies, then its machine. */
@Command(
    name = "ha-demo",
    customSynopsis = "mgtm ha demo [OPTION...]",
    description = {
      "Runs PostgreSQL on a replicated volume, on two machines that are namespaces"
          + " of this one, with a witness and clients; kills postgres, then the machine, and tells"
          + " what the clients saw.",
      "Needs root. Ctrl-C ends it; nothing is left.",
      "Exit status 1 when an acknowledged commit was lost, or PostgreSQL ran on both at once."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
public final class HaDemoCommand implements Callable<Integer> {
  private static final int REST_MS = 3_000;
  private static final int RATE = 100;

  @Spec private CommandSpec spec;

  @Mixin private final WorkFolder folder = new WorkFolder();

  private PrintWriter out;
  private final long began = System.nanoTime();

  @Override
  public Integer call() throws IOException {
    out = spec.commandLine().getOut();
    Optional<String> missing = Engine.POSTGRESQL.missing();
    if (missing.isPresent()) {
      throw new IOException(missing.get() + "; as root, ./mgtm ha demo installs what it needs");
    }
    HaJars jars = HaJars.found();
    return Stoppable.run(
        () ->
            folder.use(
                "mgtm-ha-demo",
                "",
                own -> {
                  try {
                    return demonstrate(jars, own);
                  } catch (InterruptedException e) {
                    say("stopped");
                    throw e;
                  }
                }));
  }

  private int demonstrate(HaJars jars, Path own) throws IOException, InterruptedException {
    say("Starting machines a and b with PostgreSQL on a replicated volume, a witness and clients,");
    out.println("      each in namespaces of this machine; data and logs in " + own);
    out.flush();
    HaSetup setup =
        new HaSetup(
            own,
            jars.controller(),
            jars.volume(),
            Engine.POSTGRESQL,
            false,
            HaSetup.LEASE_MS,
            HaSetup.OFTEN,
            "512M",
            HaJars.JAVA_OPTIONS);
    try (HaRounds rounds = HaRounds.start(setup, RATE)) {
      String first = rounds.cluster().primary().orElse("none");
      say(
          "%s has PostgreSQL in service at %s, and %s its copy",
          first, HaSetup.ADDRESS, HaCluster.other(first));
      say("pgbench runs %d transactions a second; another client inserts numbered rows", RATE);
      rounds.commits().mark();
      TimeUnit.MILLISECONDS.sleep(REST_MS);
      say("undisturbed, the longest wait for a commit was %s", time(rounds.commits().longestMs()));
      long event = rounds.cluster().lastEvent(first);

      rounds.onServed(
          ms -> say("%s serves; the longest wait for a commit was %s", serving(rounds), time(ms)));
      say("postgres on %s is killed with kill -9", first);
      Round repaired = rounds.round(HaFault.POSTGRES, 0);
      say("machine %s dies: all its processes are killed, and its network is gone", first);
      Round moved = rounds.round(HaFault.DEATH, 0);
      say("machine %s has booted again, and its copy has caught up", moved.from());
      return report(rounds, repaired, moved, event);
    }
  }

  private int report(HaRounds rounds, Round repaired, Round moved, long event)
      throws IOException, InterruptedException {
    int lost = repaired.lost() + moved.lost();
    int together = Math.max(repaired.together(), moved.together());
    out.printf(
        Locale.ROOT, "%nrows that were acknowledged          %,d%n", rounds.commits().count());
    out.printf("of these are lost                    %d%n", lost);
    out.printf("transactions that failed             %d%n", repaired.failed() + moved.failed());
    out.printf("machines with PostgreSQL at once     %d%n", together);
    out.printf("%nWhat the controllers decided, and why:%n");
    for (JsonNode each : rounds.cluster().events(moved.to(), event)) {
      out.printf("  %s (%s)%n", each.path("what").asText(), each.path("cause").asText());
    }
    out.flush();
    return lost == 0 && together <= 1 ? 0 : 1;
  }

  private static String serving(HaRounds rounds) {
    return rounds.cluster().primary().orElse("neither");
  }

  private static String time(double ms) {
    return ms < 1_000
        ? String.format(Locale.ROOT, "%.0f ms", ms)
        : String.format(Locale.ROOT, "%.1f s", ms / 1e3);
  }

  /** With the time since the start. */
  private void say(String format, Object... values) {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
    out.printf(Locale.ROOT, "%2d:%02d  ", seconds / 60, seconds % 60);
    out.printf(Locale.ROOT, format + "%n", values);
    out.flush();
  }
}
