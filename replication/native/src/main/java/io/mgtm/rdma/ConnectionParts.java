package io.mgtm.rdma;

import io.mgtm.jni.Wakeup;
import java.util.List;

/** All that is freed together, in the order that is safe; it does not refer to the connection. */
final class ConnectionParts implements Runnable {
  final long handle;
  final RdmaDomain domain;
  final List<RegisteredPool> pools;
  final WorkSlots slots;
  final WorkArea area;
  final Wakeup wakeup = Wakeup.create();
  boolean domainHeld;
  int poolsHeld;
  volatile boolean asked;

  ConnectionParts(long handle, RdmaDomain domain, RdmaOptions options) {
    this.handle = handle;
    this.domain = domain;
    pools = options.pools();
    slots = new WorkSlots(options.sends(), options.receives());
    area = new WorkArea(options.sends() + options.receives());
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
