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
 * Does once what the members of a group do, and ends. Run with {@code -XX:DumpLoadedClassList}, it
 * leaves the list of the classes that a GTM loads; an archive of them lets later processes of the
 * same class path start with half the work.
 */
public final class ClassTraining {
  private static final List<String> MEMBERS = List.of("g1", "g2", "g3");
  private static final int TRY_MS = 100;
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(40);

  private ClassTraining() {}

  /**
   * Runs a group in this JVM until it has served a client; exit status 1 when it does not.
   *
   * @param args a folder for the member's data, which the caller deletes when the process is gone
   */
  public static void main(String[] args) throws InterruptedException {
    System.exit(serveAsMember(Path.of(args[0])) > 0 ? 0 : 1);
  }

  /**
   * Runs a group in this JVM for as long as that lives.
   *
   * @return the port of a member that has served a client; 0 when it does not
   */
  public static int serveAsMember(Path folder) throws InterruptedException {
    List<Integer> ports = FreePorts.take(2 * MEMBERS.size());
    List<String> addresses = new ArrayList<>();
    for (String name : MEMBERS) {
      addresses.add(name + "=127.0.0.1:" + ports.get(MEMBERS.size() + addresses.size()));
    }
    for (int i = 0; i < MEMBERS.size(); i++) {
      String name = MEMBERS.get(i);
      start(
          GtmMain.commandLine(),
          ports.get(i),
          "--name=" + name,
          "--data=" + folder.resolve(name),
          "--members=" + String.join(",", addresses));
    }
    return awaitService(ports.get(0)) ? ports.get(0) : 0;
  }

  /** Runs {@code start} in this JVM; true when it has served a client. */
  public static boolean serve(CommandLine line, int port, String... options)
      throws InterruptedException {
    start(line, port, options);
    return awaitService(port);
  }

  private static void start(CommandLine line, int port, String... options) {
    List<String> start = new ArrayList<>(List.of("start", "--listen=127.0.0.1:" + port));
    start.addAll(List.of(options));
    Thread server = new Thread(() -> Cli.run(line, start.toArray(String[]::new)), "server");
    server.setDaemon(true);
    server.start();
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
