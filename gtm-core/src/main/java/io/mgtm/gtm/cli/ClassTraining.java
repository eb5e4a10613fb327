package io.mgtm.gtm.cli;

import io.mgtm.common.Cli;
import io.mgtm.group.net.FreePorts;
import io.mgtm.gtm.client.GtmClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;

/**
 * Does once what a member of a group does, and ends. Run with {@code -XX:DumpLoadedClassList}, it
 * leaves the list of the classes that a GTM loads; an archive of them lets later processes of the
 * same class path start with half the work.
 */
public final class ClassTraining {
  private static final int TRY_MS = 100;
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(40);

  private ClassTraining() {}

  /**
   * Runs a member in this JVM until it has served a client; exit status 1 when it does not.
   *
   * @param args a folder for the member's data, which the caller deletes when the process is gone
   */
  public static void main(String[] args) throws InterruptedException {
    System.exit(serveAsMember(Path.of(args[0])) > 0 ? 0 : 1);
  }

  /**
   * Runs a member in this JVM for as long as that lives.
   *
   * @return its port, once it has served a client; 0 when it does not
   */
  public static int serveAsMember(Path folder) throws InterruptedException {
    List<Integer> ports = FreePorts.take(2);
    boolean served =
        serve(
            GtmMain.commandLine(),
            ports.get(0),
            "--name=g1",
            "--data=" + folder.resolve("g1"),
            "--members=g1=127.0.0.1:" + ports.get(1));
    return served ? ports.get(0) : 0;
  }

  /** Runs {@code start} in this JVM; true when it has served a client. */
  public static boolean serve(CommandLine line, int port, String... options)
      throws InterruptedException {
    List<String> start = new ArrayList<>(List.of("start", "--listen=127.0.0.1:" + port));
    start.addAll(List.of(options));
    Thread server = new Thread(() -> Cli.run(line, start.toArray(String[]::new)), "server");
    server.setDaemon(true);
    server.start();
    return awaitService(port);
  }

  private static boolean awaitService(int port) throws InterruptedException {
    long end = System.nanoTime() + WAIT_NANOS;
    while (System.nanoTime() - end < 0) {
      try (GtmClient client =
          GtmClient.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
        int gxid = client.begin();
        client.snapshot(gxid);
        return client.commit(gxid);
      } catch (IOException e) {
        // Not yet: nobody listens, or nobody leads.
        TimeUnit.MILLISECONDS.sleep(TRY_MS);
      }
    }
    return false;
  }
}
