package io.mgtm.group.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jgroups.util.DefaultSocketFactory;
import org.jgroups.util.SocketFactory;
import org.jgroups.util.TLS;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS 1.3 with certificates on both sides, and handshakes that cannot block a member's acceptor.
 *
 * <p>JGroups' TCP makes a handshake as it connects, and holds a lock of the destination meanwhile;
 * its one acceptor thread makes the other half of each handshake, and takes the same lock to enter
 * the connection. So three members that connect to each other in a circle wait for each other
 * without end: the acceptor of each for the lock that its own sender holds, the sender for the
 * acceptor of the next. Here {@link HandshakingServerSocket} makes the accepting half on threads of
 * its own, and the connecting half ends after a while.
 */
final class GroupTls extends TLS {
  private static final Logger log = LoggerFactory.getLogger(GroupTls.class);
  private static final String[] PROTOCOLS = {"TLSv1.3"};

  /** Handshakes end after this; a machine of another data centre needs some tens of ms. */
  private static final int HANDSHAKE_MS = 2_000;

  private final Gate gate;

  private GroupTls(Gate gate) {
    this.gate = gate;
  }

  static TLS of(JGroupsSettings.Tls keys, Gate gate) {
    String file = keys.keyStore().toString();
    return new GroupTls(gate)
        .enabled(true)
        .setKeystorePath(file)
        .setKeystorePassword(keys.password())
        .setKeystoreType("PKCS12")
        .setTruststorePath(file)
        .setTruststorePassword(keys.password())
        .setTruststoreType("PKCS12");
  }

  @Override
  public SocketFactory createSocketFactory(SSLContext context) {
    DefaultSocketFactory factory =
        new DefaultSocketFactory(context.getSocketFactory(), new Accepting(context, gate));
    factory.setSocketConfigurator(GroupTls::prepareToConnect);
    return factory;
  }

  private static SSLParameters parameters() {
    SSLParameters parameters = new SSLParameters();
    parameters.setProtocols(PROTOCOLS);
    parameters.setNeedClientAuth(true);
    return parameters;
  }

  /**
   * A connected member is never silent for as long as the handshake may take. So should the reader
   * of the connection begin before the limit is taken off, that does no harm.
   */
  private static void prepareToConnect(Socket socket) {
    try {
      SSLSocket secure = (SSLSocket) socket;
      secure.setEnabledProtocols(PROTOCOLS);
      secure.setSoTimeout(HANDSHAKE_MS);
      secure.addHandshakeCompletedListener(done -> takeLimitOff(done.getSocket()));
    } catch (SocketException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void takeLimitOff(SSLSocket socket) {
    try {
      socket.setSoTimeout(0);
    } catch (SocketException e) {
      log.debug("A connection broke right after its handshake: {}", e.toString());
    }
  }

  /** Makes the sockets that members listen on; they are bound later. */
  private static final class Accepting extends ServerSocketFactory {
    private final SSLContext context;
    private final Gate gate;

    Accepting(SSLContext context, Gate gate) {
      this.context = context;
      this.gate = gate;
    }

    @Override
    public ServerSocket createServerSocket() throws IOException {
      return new HandshakingServerSocket(
          gate, context.getSocketFactory(), parameters(), HANDSHAKE_MS);
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
