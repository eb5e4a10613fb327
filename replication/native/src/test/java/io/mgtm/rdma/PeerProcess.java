package io.mgtm.rdma;

import io.mgtm.flash.BufferPool;
import java.net.InetAddress;
import java.util.List;

/** A process that accepts one connection, says where, and then waits until it is killed. */
public final class PeerProcess {

  private PeerProcess() {}

  /** Listens at the address of the first argument. */
  public static void main(String[] arguments) throws Exception {
    try (RdmaDomain domain = RdmaDomain.open(InetAddress.getByName(arguments[0]));
        RegisteredPool pool = domain.register(BufferPool.of(1, 4096), true);
        RdmaListener listener = RdmaListener.listen(domain, 0, 1)) {
      System.out.println("PORT " + listener.localAddress().getPort());
      System.out.flush();
      RdmaOptions options = new RdmaOptions(1, 1, List.of(pool));
      try (RdmaConnection connection = listener.accept(options, 120_000).orElseThrow()) {
        connection.receive(1, pool.pool().tryAcquire());
        connection.establish(new byte[0], 60_000);
        connection.await(1, RdmaConnection.TIMEOUT_NS_MAX, new Outcomes());
      }
    }
  }
}
