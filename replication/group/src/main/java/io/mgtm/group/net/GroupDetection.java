package io.mgtm.group.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.blocks.cs.Connection;
import org.jgroups.blocks.cs.NioConnection;
import org.jgroups.blocks.cs.NioServer;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FD_SOCK2;
import org.jgroups.util.LazyThreadFactory;
import org.jgroups.util.SocketFactory;
import org.jgroups.util.ThreadFactory;
import org.jgroups.util.TimeScheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JGroups' failure detection by broken connections, behind a {@link Gate}. Its connections carry
 * nothing but their own beginning and end; one whose beginning does not come is closed.
 */
final class GroupDetection extends FD_SOCK2 {
  private static final Logger logger = LoggerFactory.getLogger(GroupDetection.class);
  private static final short ID = 605;
  private static final int MESSAGE_BYTES_MAX = 1 << 10;

  static {
    ClassConfigurator.addProtocol(ID, GroupDetection.class);
    QuietLog.install();
  }

  private final Gate gate;

  GroupDetection(Gate gate) {
    setId(ClassConfigurator.getProtocolId(FD_SOCK2.class));
    this.gate = gate;
  }

  @Override
  protected NioServer createServer(int[] ports) {
    // As JGroups does on most Java versions: a selector would hold a virtual thread's carrier.
    ThreadFactory threads =
        new LazyThreadFactory("jgroups", true, true).useVirtualThreads(false).log(log);
    IllegalStateException failure =
        new IllegalStateException(
            "the failure detection finds none of the ports %s free"
                .formatted(Arrays.toString(ports)));
    for (int port : ports) {
      try {
        return new Guarded(threads, getSocketFactory(), bind_addr, port, gate, timer);
      } catch (Exception e) {
        failure.addSuppressed(e);
      }
    }
    throw failure;
  }

  private static final class Guarded extends NioServer {
    private final TimeScheduler timer;
    private final Rarely closings = new Rarely();

    /** Connections that have not said whose they are. */
    private final Set<SelectableChannel> unknown = ConcurrentHashMap.newKeySet();

    Guarded(
        ThreadFactory threads,
        SocketFactory sockets,
        InetAddress bind,
        int port,
        Gate gate,
        TimeScheduler timer)
        throws Exception {
      super(threads, sockets, bind, port, port, null, 0, 0, "mgtm.detection");
      this.timer = timer;
      setMaxLength(MESSAGE_BYTES_MAX);
      channel = new GuardedChannel(channel, gate, this::accepted);
    }

    private void accepted(SocketChannel connection) {
      unknown.add(connection);
      timer.schedule(() -> look(connection), GroupTcp.BEGINNING_MS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void handleIncomingConnection(Address peer, Connection connection) throws Exception {
      unknown.remove(((NioConnection) connection).key().channel());
      super.handleIncomingConnection(peer, connection);
    }

    /** A timer's thread. */
    private void look(SocketChannel connection) {
      if (!unknown.remove(connection) || !connection.isOpen()) {
        return;
      }
      try {
        SocketAddress from = connection.getRemoteAddress();
        connection.close();
        // It lets go of what was closed.
        selector.wakeup();
        closings.run(more -> logger.info("Closed {}, which did not say who it is{}", from, more));
      } catch (IOException e) {
        logger.debug("A connection was closed meanwhile: {}", e.toString());
      }
    }
  }

  /** Accepts whom the gate admits; all else is the channel's that was opened. */
  private static final class GuardedChannel extends ServerSocketChannel {
    private final ServerSocketChannel opened;
    private final Gate gate;
    private final Consumer<SocketChannel> admitted;

    GuardedChannel(ServerSocketChannel opened, Gate gate, Consumer<SocketChannel> admitted) {
      super(opened.provider());
      this.opened = opened;
      this.gate = gate;
      this.admitted = admitted;
    }

    /** Null when nobody has come who may; JGroups then waits for the next. */
    @Override
    public SocketChannel accept() throws IOException {
      SocketChannel accepted = opened.accept();
      if (accepted != null && !gate.admits(accepted.getRemoteAddress(), accepted::isOpen)) {
        accepted.close();
        return null;
      }
      if (accepted != null) {
        admitted.accept(accepted);
      }
      return accepted;
    }

    @Override
    public ServerSocketChannel bind(SocketAddress local, int backlog) throws IOException {
      opened.bind(local, backlog);
      return this;
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
      opened.setOption(name, value);
      return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
      return opened.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
      return opened.supportedOptions();
    }

    @Override
    public ServerSocket socket() {
      return opened.socket();
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
      return opened.getLocalAddress();
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
      opened.close();
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
      opened.configureBlocking(block);
    }
  }
}
