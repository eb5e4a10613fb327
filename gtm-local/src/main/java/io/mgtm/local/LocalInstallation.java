package io.mgtm.local;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.cli.GtmMain;
import io.mgtm.proxy.ProxyMain;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Group members and a proxy, each a process of its own on this machine. One thread at a time calls
 * it.
 */
public final class LocalInstallation implements AutoCloseable {
  private static final int START_MS = 180_000;

  /** Where and how a process is run; for tests that give each a network of its own. */
  @FunctionalInterface
  public interface Placement {
    /** The command line that runs {@code command} as the process {@code name}. */
    List<String> place(String name, List<String> command);
  }

  private final LocalSettings settings;
  private final Placement placement;
  private final List<String> java;
  private final List<ChildProcess> nodes = new ArrayList<>();
  private ChildProcess proxy;

  private LocalInstallation(LocalSettings settings, Placement placement) {
    this.settings = settings;
    this.placement = placement;
    this.java = java(settings);
  }

  /**
   * Starts all of them, and returns when every one listens; {@link #awaitLeader} waits for more.
   *
   * @throws IOException when one does not; none is left running then
   */
  public static LocalInstallation start(LocalSettings settings)
      throws IOException, InterruptedException {
    return start(settings, (name, command) -> command);
  }

  /** The same, each process placed by {@code placement}. */
  public static LocalInstallation start(LocalSettings settings, Placement placement)
      throws IOException, InterruptedException {
    LocalInstallation installation = new LocalInstallation(settings, placement);
    try {
      installation.launch();
      return installation;
    } catch (IOException | InterruptedException | RuntimeException e) {
      installation.close();
      throw e;
    }
  }

  /** All at once: much of what a process does until it is ready is waiting. */
  private void launch() throws IOException, InterruptedException {
    for (int i = 0; i < settings.nodes(); i++) {
      nodes.add(launchNode(i));
    }
    proxy = launchProxy();
    for (ChildProcess node : nodes) {
      node.awaitReady(START_MS);
    }
    proxy.awaitReady(START_MS);
  }

  private ChildProcess launchNode(int i) throws IOException {
    List<String> command = java(GtmMain.class);
    command.addAll(nodeArguments(settings, i));
    return launch(settings.name(i), command);
  }

  /** What node {@code i} is started with. */
  static List<String> nodeArguments(LocalSettings settings, int i) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "start",
                "--name",
                settings.name(i),
                "--data",
                settings.folder().resolve(settings.name(i)).toString(),
                "--listen",
                settings.clients().get(i).toString()));
    if (settings.nodes() > 1) {
      arguments.addAll(List.of("--members", settings.memberList(), "--mode", settings.mode()));
    }
    arguments.addAll(settings.nodeOptions());
    return arguments;
  }

  private ChildProcess launchProxy() throws IOException {
    List<String> command = java(ProxyMain.class);
    command.addAll(proxyArguments(settings));
    return launch("proxy", command);
  }

  /** What the proxy is started with. */
  static List<String> proxyArguments(LocalSettings settings) {
    return List.of(
        "start",
        "--listen",
        settings.proxy().toString(),
        "--gtm",
        settings.clientList(),
        "--name",
        "proxy");
  }

  private ChildProcess launch(String name, List<String> command) throws IOException {
    Path log = settings.folder().resolve(name + ".log");
    return ChildProcess.start(name, placement.place(name, command), log);
  }

  private List<String> java(Class<?> main) {
    List<String> command = new ArrayList<>(java);
    command.add(main.getName());
    return command;
  }

  /** The command line of a Java process up to its main class. */
  private static List<String> java(LocalSettings settings) {
    List<String> command = JavaCommand.of(settings.jvm());
    command.addAll(List.of("-cp", settings.classPath()));
    return command;
  }

  /** The settings that it was started with. */
  public LocalSettings settings() {
    return settings;
  }

  /** Node {@code i}, from 0. */
  public ChildProcess node(int i) {
    return nodes.get(i);
  }

  public ChildProcess proxy() {
    return proxy;
  }

  /** Where clients connect. */
  public HostPort proxyAddress() {
    return settings.proxy();
  }

  /** Starts node {@code i} again, which has ended, and waits until it listens. */
  public void restartNode(int i) throws IOException, InterruptedException {
    nodes.set(i, launchNode(i));
    nodes.get(i).awaitReady(START_MS);
  }

  /** Starts the proxy again, which has ended. */
  public void restartProxy() throws IOException, InterruptedException {
    proxy = launchProxy();
    proxy.awaitReady(START_MS);
  }

  /**
   * The node that leads and takes commands, from 0; -1 when none says so. Asks every node that
   * runs.
   */
  public int leader() {
    return new LeaderSearch(settings.clients()).find();
  }

  /**
   * Waits until a node leads.
   *
   * @return which one, from 0
   * @throws IOException when none does in time
   */
  public int awaitLeader(int timeoutMs) throws IOException {
    try {
      return new LeaderSearch(settings.clients()).await(timeoutMs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } catch (IOException e) {
      throw new IOException(e.getMessage() + "; see " + settings.folder(), e);
    }
  }

  /** Ends the proxy, then the nodes. */
  @Override
  public void close() {
    if (proxy != null) {
      proxy.close();
    }
    nodes.forEach(ChildProcess::close);
  }
}
