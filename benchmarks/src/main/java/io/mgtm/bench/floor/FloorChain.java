package io.mgtm.bench.floor;

import io.mgtm.bench.BenchMain;
import io.mgtm.common.HostPort;
import io.mgtm.group.net.FreePorts;
import io.mgtm.gtm.net.EventLoops;
import io.mgtm.local.ChildProcess;
import io.mgtm.local.JavaCommand;
import io.mgtm.local.LocalSettings;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A proxy, a leader and a follower, each a process, that pass requests over the hops of a group and
 * do no more: what they reach on a machine is the most that a group written so can. One thread.
 */
public final class FloorChain implements AutoCloseable {
  private static final int START_MS = 60_000;
  private static final String HOST = "127.0.0.1";

  private final List<ChildProcess> processes = new ArrayList<>();
  private HostPort entrance;

  private FloorChain() {}

  /**
   * Starts a chain.
   *
   * @param folder for the processes' logs
   * @param mode as a group's
   * @param nodes with one there is no follower
   */
  public static FloorChain start(Path folder, String mode, int nodes)
      throws IOException, InterruptedException {
    FloorChain chain = new FloorChain();
    try {
      HostPort follower = nodes > 1 ? chain.add(folder, FloorRole.FOLLOWER, null) : null;
      FloorRole leader = mode.equals("lazy") ? FloorRole.LAZY_LEADER : FloorRole.LEADER;
      chain.entrance = chain.add(folder, FloorRole.PROXY, chain.add(folder, leader, follower));
      return chain;
    } catch (IOException | InterruptedException e) {
      chain.close();
      throw e;
    }
  }

  private HostPort add(Path folder, FloorRole role, HostPort next)
      throws IOException, InterruptedException {
    HostPort at = new HostPort(HOST, FreePorts.takeOne());
    String name = "floor-" + role.name().toLowerCase(Locale.ROOT);
    List<String> command = JavaCommand.of(LocalSettings.JVM_OPTIONS);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(BenchMain.class.getName(), "floor-stage", role.name()));
    command.addAll(List.of("--listen", at.toString()));
    if (next != null) {
      command.addAll(List.of("--next", next.toString()));
    }
    ChildProcess process = ChildProcess.start(name, command, folder.resolve(name + ".log"));
    processes.add(process);
    process.awaitReady(START_MS);
    return at;
  }

  /** Where clients connect. */
  public HostPort entrance() {
    return entrance;
  }

  /** Runs one of its processes until it is killed. */
  public static void serve(FloorRole role, HostPort listen, HostPort next, PrintWriter out)
      throws InterruptedException {
    EventLoop loop = EventLoops.start(1, "floor", cause -> Runtime.getRuntime().halt(1)).next();
    Channel onward = next == null ? null : Stage.connect(loop, next.resolve());
    Stage stage =
        switch (role) {
          case PROXY -> new ProxyStage(loop, onward);
          case LEADER -> new LeaderStage(loop, onward, true);
          case LAZY_LEADER -> new LeaderStage(loop, onward, false);
          case FOLLOWER -> new FollowerStage(loop);
        };
    stage.listen(listen.resolve());
    out.println("GTM listening on " + listen);
    out.flush();
    loop.terminationFuture().sync();
  }

  @Override
  public void close() {
    processes.forEach(ChildProcess::close);
  }
}
