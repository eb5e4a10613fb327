package io.mgtm.gtm.node;

import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.testing.ClassArchive;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A GTM in a process of its own, from the runnable jar where the build has made it. */
final class ServerProcess implements AutoCloseable {
  private static final String LISTENING = "GTM listening on 127.0.0.1:";
  private static final String MAIN_CLASS = "io.mgtm.gtm.cli.GtmMain";
  private static final int STOP_TIMEOUT_S = 180;

  private final Process process;
  private final Path errors;
  private final List<String> printed = new ArrayList<>();
  private InetSocketAddress address;

  private ServerProcess(Process process, Path errors) {
    this.process = process;
    this.errors = errors;
  }

  /** Starts one; {@code folder} gets its standard error. */
  static ServerProcess launch(Path folder, Path data, String... more) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
    String jar = System.getProperty("mgtm.jar", "");
    if (!jar.isEmpty() && Files.exists(Path.of(jar))) {
      command.addAll(ClassArchive.options(Path.of(jar)));
      command.addAll(List.of("-jar", jar));
    } else {
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      command.add(MAIN_CLASS);
    }
    command.addAll(List.of("start", "--data", data.toString(), "--listen", "127.0.0.1:0"));
    command.addAll(List.of(more));
    Path errors = folder.resolve("stderr");
    Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    return new ServerProcess(process, errors);
  }

  /** Waits until it serves, or ends. */
  boolean startsListening() throws IOException {
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith(LISTENING)) {
        int port = Integer.parseInt(line.substring(LISTENING.length()));
        address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        return true;
      }
      printed.add(line); // a JVM prints its warnings there too
    }
    return false;
  }

  /** Waits until it serves. */
  ServerProcess awaitListening() throws IOException {
    if (!startsListening()) {
      throw new AssertionError("the GTM does not start: " + errors() + printed);
    }
    return this;
  }

  RawClient backend() throws IOException {
    return new RawClient(address).startup("backend", 6, false);
  }

  String errors() throws IOException {
    return Files.readString(errors);
  }

  /** Its exit status, once it ends by itself. */
  int awaitExit() throws InterruptedException {
    if (!process.waitFor(STOP_TIMEOUT_S, TimeUnit.SECONDS)) {
      throw new AssertionError("the GTM does not end");
    }
    return process.exitValue();
  }

  /** SIGKILL. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    awaitExit();
  }

  /** SIGTERM, and SIGKILL to one that does not heed it. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_TIMEOUT_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
