package io.mgtm.rdma;

import io.mgtm.jni.Wakeup;
import java.net.InetSocketAddress;

/** Makes connections to peers that listen. Any thread. */
public final class RdmaConnector {

  private RdmaConnector() {}

  /**
   * Finds the way to a peer and builds the queues for it. The peer does not know yet: post
   * receives, then {@link RdmaConnection#establish}.
   *
   * @param domain the local side
   * @param peer the address and port where it listens
   * @param timeoutMs how long each step may take, from 1 to an hour
   * @throws RdmaException ETIMEDOUT, EHOSTUNREACH, or what else the system says
   */
  public static RdmaConnection prepare(
      RdmaDomain domain, InetSocketAddress peer, RdmaOptions options, long timeoutMs)
      throws RdmaException {
    RdmaConnection.checkTimeout(timeoutMs);
    if (peer.isUnresolved()) {
      throw new IllegalArgumentException("the name " + peer.getHostString() + " has no address");
    }
    long device = domain.acquire();
    try (Wakeup none = Wakeup.create()) {
      long answer =
          ConnectCalls.resolve(
              device,
              peer.getAddress().getAddress(),
              RdmaDomain.scope(peer.getAddress()),
              peer.getPort(),
              none.fd(),
              timeoutMs);
      if (answer < 0 && answer > -4096) {
        throw new RdmaException("finding the way to " + peer, (int) -answer);
      }
      return RdmaConnection.build(answer, domain, peer.toString(), options);
    } finally {
      domain.release();
    }
  }
}
