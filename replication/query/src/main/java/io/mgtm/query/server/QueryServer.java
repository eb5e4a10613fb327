package io.mgtm.query.server;

import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.order.ServerState;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A query replicator: its event loops, its listener, its sessions. Any thread. */
public final class QueryServer implements AutoCloseable {
  private static final int CLOSE_MS = 2_000;

  private final QueryConfig config;
  private final MultiThreadIoEventLoopGroup loops;
  private final AtomicBoolean closed = new AtomicBoolean();
  private CommitLog commits;
  private Entrance entrance;
  private Steward steward;
  private AdminEndpoint admin;
  private Channel listener;

  private QueryServer(QueryConfig config) {
    this.config = config;
    this.loops = Loops.start(config.threads());
  }

  /**
   * Listens. No server is connected to before a client comes.
   *
   * @param config validated
   * @throws IOException when the address cannot be listened on, or a key or the password cannot be
   *     read
   * @throws ConfigException when a value is wrong
   */
  public static QueryServer start(QueryConfig config) throws IOException, ConfigException {
    QueryServer server = new QueryServer(config);
    try {
      server.listen();
      return server;
    } catch (IOException | ConfigException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private void listen() throws IOException, ConfigException {
    boolean several = config.servers().size() > 1;
    commits = several ? openLog(config.data(), config.limits().logBytesMax()) : null;
    entrance = new Entrance(config, loops.next(), commits);
    if (several) {
      entrance.shared().fleet().whenDeposed(this::stopServing);
      steward = new Steward(entrance.shared(), entrance.own(), loops.next());
      steward.begin();
    }
    HostPort at = config.listen();
    ChannelFuture bound =
        Loops.listener(loops, config.limits().outboundBytesMax())
            .childHandler(entrance)
            .bind(at.host(), at.port())
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException("cannot listen on " + at + ": " + bound.cause().getMessage());
    }
    listener = bound.channel();
    if (several && config.admin() != null) {
      admin = new AdminEndpoint(config.admin(), entrance.shared(), steward, entrance.own());
    }
  }

  /** Clients that come again find the replicator that orders now, or nobody. */
  private void stopServing() {
    if (listener != null) {
      listener.close();
    }
    entrance.sessions().all().forEach(OpenSession::stop);
  }

  /** Where clients connect. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  /**
   * Forgets that a server is out, before a replicator starts that compares it with the others.
   *
   * @throws IOException when it is not out, or a replicator runs with that folder
   */
  public static void readmit(Path data, HostPort server) throws IOException {
    try (CommitLog log = openLog(data, QueryConfig.DEFAULTS.limits().logBytesMax())) {
      ServerState before = log.servers().get(server.toString());
      if (before == null || before.isIn()) {
        throw new IOException(server + " is not out: " + log.servers().keySet());
      }
      ServerState again =
          new ServerState(ServerState.Status.READMITTED, "", System.currentTimeMillis());
      Steward.await(log.change(server.toString(), again));
    }
  }

  private static CommitLog openLog(Path data, long bytesMax) throws IOException {
    Files.createDirectories(data);
    return CommitLog.open(data.resolve("log"), bytesMax);
  }

  /** Where commands are answered, or null. */
  public HostPort admin() {
    return admin == null ? null : admin.address();
  }

  /** The servers that are in, as {@code HOST:PORT}. */
  public List<String> serversIn() {
    return entrance.shared().fleet().in().stream().map(Node::toString).toList();
  }

  /**
   * Compares the servers that are in; one line for each difference. Waits for it.
   *
   * @throws IOException when a server cannot be asked
   */
  public List<String> verify() throws IOException {
    return Steward.await(steward.verifier().verify()).stream()
        .map(one -> one.node() + ": " + one.text())
        .toList();
  }

  /** How many reads a server was given. */
  long readsOf(int server) {
    return entrance.shared().fleet().nodes().get(server).reads().sum();
  }

  /** Why a server is out, or null. */
  String whyOut(int server) {
    return entrance.shared().fleet().nodes().get(server).why();
  }

  /** What COPY data take on disk. */
  long spooledBytes() {
    return entrance.shared().spools().bytes();
  }

  /** How many clients are in. */
  public int sessions() {
    return entrance.sessions().count();
  }

  /**
   * Accepts nobody any more, lets clients finish what runs for at most {@code drainMs}, and closes.
   * A second call does nothing.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    if (listener != null) {
      listener.close().awaitUninterruptibly();
      entrance.sessions().all().forEach(OpenSession::drain);
      if (!entrance.sessions().awaitNone(config.drainMs())) {
        entrance.sessions().all().forEach(OpenSession::stop);
        entrance.sessions().awaitNone(CLOSE_MS);
      }
      entrance.roles().close();
    }
    if (admin != null) {
      admin.close();
    }
    if (steward != null) {
      steward.close();
    }
    loops.shutdownGracefully(0, CLOSE_MS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    if (entrance != null && entrance.shared().spools() != null) {
      entrance.shared().spools().close();
    }
    if (commits != null) {
      commits.close();
    }
  }
}
