package io.mgtm.ha.cli;

import io.mgtm.common.Ask;
import io.mgtm.common.Cli;
import io.mgtm.common.HostPort;
import io.mgtm.group.net.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Does once what a controller does when it starts, and ends. Run with {@code
 * -XX:DumpLoadedClassList}, it leaves the list of the classes that a controller loads; an archive
 * of them lets later processes of the same class path start with half the work: a controller that
 * was killed is back before the lease is over. It is a witness, which needs no watchdog.
 */
public final class ClassTraining {
  private static final int TRY_MS = 50;
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(40);

  private static final String CONFIG =
      """
      cluster: training
      nodes:
        a: {addresses: [127.0.0.1], ports: {group: %d, heartbeat: %d, api: %d}}
        b: {addresses: [127.0.0.1], ports: {group: %d, heartbeat: %d, api: %d}}
        w: {addresses: [127.0.0.1], ports: {group: %d, heartbeat: %d, api: %d}, witness: true}
      hierarchies: {}
      """;

  private ClassTraining() {}

  /**
   * Runs a controller in this JVM until it has answered; exit status 1 when it does not.
   *
   * @param args a folder for its data, which the caller deletes when the process is gone
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    Path folder = Path.of(args[0]);
    List<Integer> ports = FreePorts.take(9);
    Path config = Files.writeString(folder.resolve("ha.yaml"), CONFIG.formatted(ports.toArray()));
    List<String> start =
        List.of(
            "start",
            "--node=w",
            "--config=" + config,
            "--data=" + folder.resolve("w"),
            "--runtime=" + folder.resolve("run"));
    Thread server =
        new Thread(() -> Cli.run(HaMain.commandLine(), start.toArray(String[]::new)), "server");
    server.setDaemon(true);
    server.start();
    System.exit(isAnswered(ports.get(ports.size() - 1)) ? 0 : 1);
  }

  private static boolean isAnswered(int port) throws InterruptedException {
    Ask controller = new Ask("a controller", new HostPort("127.0.0.1", port), PATIENCE);
    long end = System.nanoTime() + WAIT_NANOS;
    while (System.nanoTime() - end < 0) {
      try {
        return controller.get("/v1/status").isObject();
      } catch (IOException e) {
        // Not yet: nobody listens.
        TimeUnit.MILLISECONDS.sleep(TRY_MS);
      }
    }
    return false;
  }
}
