package io.mgtm.query.member;

import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.Loops;
import io.mgtm.query.connection.ServerDoor;
import io.mgtm.query.fleet.CommitLog;
import io.mgtm.query.fleet.Leadership;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.OrderLog;
import io.mgtm.query.session.OpenSession;
import io.mgtm.query.session.Spools;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A query replicator that runs, alone or as a member of a group. */
public final class QueryServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(QueryServer.class);
  private static final int CLOSE_MS = 2_000;

  private final QueryConfig config;
  private final MultiThreadIoEventLoopGroup loops;
  private final AtomicBoolean closed = new AtomicBoolean();
  private ServerDoor door;
  private Entrance entrance;

  /** Of a member of a group. */
  private Forwards forwards;

  private Spools spools;
  private volatile OrderLog order;
  private Succession succession;

  /** Of who is alone. */
  private Tenure alone;

  private AdminEndpoint admin;
  private Channel listener;

  private QueryServer(QueryConfig config) {
    this.config = config;
    this.loops = Loops.start(config.threads());
  }

  /**
   * Listens. Before one server, it is not connected to before a client comes; a member of a group
   * serves clients itself once it leads.
   *
   * @param config validated
   * @throws IOException when the address cannot be listened on, or a key or the password cannot be
   *     read
   * @throws ConfigException when a value is wrong
   */
  public static QueryServer start(QueryConfig config) throws IOException, ConfigException {
    QueryServer server = new QueryServer(config);
    try {
      server.open();
      return server;
    } catch (IOException | ConfigException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private void open() throws IOException, ConfigException {
    door = new ServerDoor(config);
    entrance = new Entrance(config, door);
    boolean several = config.replicates();
    spools =
        several
            ? new Spools(config.data().resolve("spool"), config.limits().spoolBytesMax())
            : null;
    if (config.group().exists()) {
      forwards = new Forwards(config, loops.next(), this::where);
      entrance.setForwards(forwards);
      listen(true);
      join();
    } else {
      order = several ? openLog(config.data(), config.limits().logBytesMax()) : null;
      CommitLog commits = several ? order.commits() : null;
      alone = new Tenure(config, door, loops.next(), commits, spools, "");
      alone.shared().fleet().whenDeposed(this::stopServing);
      listen(false); // first, as another may listen here, whose servers are not to be taken over
      alone.begin();
      entrance.open(alone);
      listener.config().setAutoRead(true);
    }
    if (several && config.admin() != null) {
      admin = new AdminEndpoint(config, entrance, order, succession);
    }
  }

  private void join() throws IOException {
    HostPort advertised = config.group().advertised(address().getPort());
    String name = config.group().name();
    succession = new Succession(entrance, loops, spools, name, advertised.toString());
    Path folder = folder(config.data());
    order =
        OrderLog.member(
            folder, GroupMember.settings(config), GroupMember.network(config), succession);
    succession.opened(order);
  }

  private void listen(boolean takesClients) throws IOException {
    HostPort at = config.listen();
    ChannelFuture bound =
        Loops.listener(loops, config.limits().outboundBytesMax())
            .option(ChannelOption.AUTO_READ, takesClients)
            .childHandler(entrance)
            .bind(at.host(), at.port())
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException("cannot listen on " + at + ": " + bound.cause().getMessage());
    }
    listener = bound.channel();
  }

  private Leadership where() {
    return order == null ? Leadership.NOBODY : order.where();
  }

  /** Clients that come again find the replicator that orders now, or nobody. */
  private void stopServing() {
    if (listener != null) {
      listener.close();
    }
    alone.stopSessions();
  }

  /** Where clients connect. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  /** This member and its group, as text; null when it is alone. */
  public String group() {
    return config.group().exists()
        ? config.group().name()
            + " of "
            + String.join(", ", config.group().memberAddresses().keySet())
        : null;
  }

  private static Path folder(Path data) throws IOException {
    Files.createDirectories(data);
    return data.resolve("log");
  }

  private static OrderLog openLog(Path data, long bytesMax) throws IOException {
    return OrderLog.alone(folder(data), bytesMax);
  }

  /** Where commands are answered, or null. */
  public HostPort admin() {
    return admin == null ? null : admin.address();
  }

  /** Whether clients are served here; a member of a group that follows forwards them. */
  public boolean serves() {
    return entrance.tenure() != null;
  }

  private Tenure serving() throws IOException {
    Tenure now = entrance.tenure();
    if (now == null) {
      throw new IOException("this replicator does not lead");
    }
    return now;
  }

  /** The servers that are in, as {@code HOST:PORT}; none while this replicator follows. */
  public List<String> serversIn() {
    Tenure now = entrance.tenure();
    return now == null
        ? List.of()
        : now.shared().fleet().in().stream().map(Node::toString).toList();
  }

  /**
   * Compares the servers that are in; one line for each difference. Waits for it.
   *
   * @throws IOException when a server cannot be asked, or this replicator does not lead
   */
  public List<String> verify() throws IOException {
    return Futures.await(serving().steward().verifier().verify()).stream()
        .map(one -> one.node() + ": " + one.text())
        .toList();
  }

  /** How many reads a server was given. */
  long readsOf(int server) {
    return entrance.tenure().shared().fleet().nodes().get(server).reads().sum();
  }

  /** Why a server is out, or null. */
  public String whyOut(int server) {
    return entrance.tenure().shared().fleet().nodes().get(server).why();
  }

  /** Null before one server. */
  OrderLog order() {
    return order;
  }

  /** What COPY data take on disk. */
  long spooledBytes() {
    return spools.bytes();
  }

  /** How many clients another replicator of the group serves for this one. */
  int forwarded() {
    return forwards.count();
  }

  /** How many clients are in. */
  public int sessions() {
    Tenure now = entrance.tenure();
    return now == null ? 0 : now.sessions().count();
  }

  /**
   * Accepts nobody any more, lets clients finish what runs for at most {@code drainMs}, has another
   * replicator of the group lead, and closes. A second call does nothing.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    if (listener != null) {
      listener.close().awaitUninterruptibly();
    }
    Tenure last = entrance == null ? null : entrance.tenure();
    if (forwards != null) {
      forwards.stop();
    }
    if (last != null) {
      if (succession != null) {
        succession.withdraw(last);
      }
      last.sessions().all().forEach(OpenSession::drain);
      if (!last.sessions().awaitNone(config.drainMs())) {
        last.stopSessions();
        last.sessions().awaitNone(CLOSE_MS);
      }
    }
    if (admin != null) {
      admin.close();
    }
    if (succession != null && order != null) {
      leaveGroup();
    } else if (alone != null) {
      alone.close();
    }
    loops.shutdownGracefully(0, CLOSE_MS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    if (spools != null) {
      spools.close();
    }
    if (order != null) {
      order.close();
    }
  }

  /** Another one leads before this one's vote is missing. */
  private void leaveGroup() {
    try {
      if (order.handOver()) {
        order.awaitOther(CLOSE_MS);
      }
    } catch (IOException e) {
      log.warn("The leadership is not handed over: {}", e.getMessage());
    }
    order.close();
    succession.awaitDone(CLOSE_MS);
  }
}
