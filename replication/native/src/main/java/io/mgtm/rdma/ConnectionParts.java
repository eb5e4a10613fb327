package io.mgtm.rdma;

import io.mgtm.jni.Wakeup;
import java.util.List;

/** All that is freed together, in the order that is safe; it does not refer to the connection. */
final class ConnectionParts implements Runnable {
  final long handle;
  private final RdmaDomain domain;
  final List<RegisteredPool> pools;
  final WorkSlots slots;
  final WorkArea area;
  final Wakeup wakeup = Wakeup.create();
  private boolean domainHeld;
  private int poolsHeld;
  volatile boolean asked;

  ConnectionParts(long handle, RdmaDomain domain, RdmaOptions options) {
    this.handle = handle;
    this.domain = domain;
    pools = options.pools();
    slots = new WorkSlots(options.sends(), options.receives());
    area = new WorkArea(options.sends() + options.receives());
  }

  /** Holds the domain and the pools until all is freed; the device's handle. */
  long acquire() throws RdmaException {
    long device = domain.acquire();
    domainHeld = true;
    for (RegisteredPool pool : pools) {
      if (pool.domain() != domain) {
        throw new IllegalArgumentException(pool.pool() + " is registered with another domain");
      }
      pool.acquire();
      poolsHeld++;
    }
    return device;
  }

  @Override
  public void run() {
    ConnectCalls.close(handle, !asked); // after this the device touches no memory
    wakeup.close();
    slots.releaseBuffers();
    pools.subList(0, poolsHeld).forEach(RegisteredPool::release);
    if (domainHeld) {
      domain.release();
    }
  }
}
