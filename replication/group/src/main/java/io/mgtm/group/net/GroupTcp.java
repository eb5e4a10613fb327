package io.mgtm.group.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TpHeader;
import org.jgroups.util.AsciiString;
import org.jgroups.util.DefaultSocketFactory;
import org.jgroups.util.MessageBatch;

/**
 * JGroups' TCP behind a {@link Gate}: what does not begin as a member does is closed before JGroups
 * sees it, and what it sends that cannot be understood is a line in the log now and then, not a
 * stack trace for each message. It tells of processes of other clusters, whose messages are
 * dropped.
 */
final class GroupTcp extends TCP {
  private static final short ID = 604;

  /** More than the pieces that messages go in. */
  private static final int MESSAGE_BYTES_MAX = 1 << 20;

  /** In which who connects says who it is. */
  static final int BEGINNING_MS = 2_000;

  static {
    ClassConfigurator.addProtocol(ID, GroupTcp.class);
    QuietLog.install();
  }

  /** Told of a message that is dropped, for it is of another cluster. Any thread. */
  interface Listener {
    void heard(Address from, String cluster);
  }

  private final Listener others;

  GroupTcp(Gate gate, Listener others) {
    this.others = others;
    log_discard_msgs = false; // the listener says more
    setId(ClassConfigurator.getProtocolId(TCP.class));
    logDetails(false);
    setMaxLength(MESSAGE_BYTES_MAX);
    setSocketFactory(new DefaultSocketFactory(SocketFactory.getDefault(), new InTheClear(gate)));
  }

  @Override
  public void passMessageUp(
      Message message, boolean matching, boolean multicast, boolean discardOwnMulticast) {
    TpHeader header = message.getHeader(getId());
    byte[] theirs = header == null ? null : header.clusterName();
    if (matching && theirs != null) {
      tell(message.getSrc(), new AsciiString(theirs));
    }
    super.passMessageUp(message, matching, multicast, discardOwnMulticast);
  }

  @Override
  public void passBatchUp(MessageBatch batch, boolean matching, boolean discardOwnMulticast) {
    if (matching && batch.clusterName() != null) {
      tell(batch.sender(), batch.clusterName());
    }
    super.passBatchUp(batch, matching, discardOwnMulticast);
  }

  private void tell(Address from, AsciiString theirs) {
    if (from != null && cluster_name != null && !cluster_name.equals(theirs)) {
      others.heard(from, theirs.toString());
    }
  }

  /** Makes the socket that a member listens on; it is bound later. */
  private static final class InTheClear extends ServerSocketFactory {
    private final Gate gate;

    InTheClear(Gate gate) {
      this.gate = gate;
    }

    @Override
    public ServerSocket createServerSocket() throws IOException {
      return new HandshakingServerSocket(
          gate, PeerSocket::new, socket -> ((PeerSocket) socket).awaitBeginning(BEGINNING_MS));
    }

    @Override
    public ServerSocket createServerSocket(int port) {
      throw new UnsupportedOperationException("sockets are bound by the transport");
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog) {
      return createServerSocket(port);
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog, InetAddress address) {
      return createServerSocket(port);
    }
  }
}
