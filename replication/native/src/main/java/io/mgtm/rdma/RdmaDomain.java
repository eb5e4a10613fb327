package io.mgtm.rdma;

import io.mgtm.flash.BufferPool;
import io.mgtm.jni.Memory;
import io.mgtm.jni.SharedHandle;
import java.lang.ref.Reference;
import java.net.Inet6Address;
import java.net.InetAddress;

/**
 * The RDMA device that has a local address, and a protection domain on it: memory registered here
 * can be used by connections of this domain only. Any thread.
 */
public final class RdmaDomain implements AutoCloseable {

  private final InetAddress local;
  private final SharedHandle handle;
  private final String deviceName;

  private RdmaDomain(InetAddress local, long domain) {
    this.local = local;
    handle = new SharedHandle(this, "RDMA domain of " + local, domain, DomainCalls::close);
    deviceName = DomainCalls.deviceName(domain);
  }

  /**
   * Opens the device of an address.
   *
   * @param local one of this machine's addresses, of an interface that has an RDMA device
   * @throws RdmaException ENODEV when no device has it
   * @throws UnsupportedOperationException when the library is missing; see {@link Rdma#available()}
   */
  public static RdmaDomain open(InetAddress local) throws RdmaException {
    Rdma.requireLibrary();
    long domain = DomainCalls.open(local.getAddress(), scope(local));
    if (domain < 0 && domain > -4096) {
      throw new RdmaException("opening the RDMA device of " + local, (int) -domain);
    }
    return new RdmaDomain(local, domain);
  }

  /** The address it was opened by. */
  public InetAddress localAddress() {
    return local;
  }

  /** The device's name, such as {@code mlx5_0}. */
  public String deviceName() {
    return deviceName;
  }

  /**
   * Registers a pool's memory, which the system then keeps in place.
   *
   * @param remoteWritable whether peers that are told its key may write into it
   * @throws RdmaException when the device refuses; ENOMEM when too little memory may be locked
   * @throws IllegalStateException when the domain or the pool is closed
   */
  public RegisteredPool register(BufferPool pool, boolean remoteWritable) throws RdmaException {
    if (pool.closed()) {
      throw new IllegalStateException(pool + " is closed");
    }
    long domain = handle.acquire();
    boolean kept = false;
    try {
      int[] keys = new int[2];
      long address = Memory.address(pool.memory());
      long bytes = pool.memory().capacity();
      long region = DomainCalls.register(domain, address, bytes, remoteWritable, keys);
      if (region < 0 && region > -4096) {
        throw new RdmaException("registering " + bytes + " bytes of memory", (int) -region);
      }
      kept = true;
      return new RegisteredPool(
          pool, this, new RegisteredPool.Region(region, address, bytes, keys, remoteWritable));
    } finally {
      if (!kept) {
        handle.release();
      }
    }
  }

  /** Frees a region that {@link #register} made; the memory is kept until then. */
  void deregister(long region, BufferPool pool) {
    int answer;
    try {
      answer = DomainCalls.deregister(region);
    } finally {
      Reference.reachabilityFence(pool);
      handle.release();
    }
    if (answer < 0) {
      throw new IllegalStateException("a memory region cannot be freed: errno " + -answer);
    }
  }

  long acquire() {
    return handle.acquire();
  }

  void release() {
    handle.release();
  }

  /** Refuses further use; the device is left when no pool, listener or connection needs it. */
  @Override
  public void close() {
    handle.close();
  }

  static int scope(InetAddress address) {
    return address instanceof Inet6Address v6 ? v6.getScopeId() : 0;
  }

  @Override
  public String toString() {
    return "RDMA device " + deviceName + " at " + local.getHostAddress();
  }
}
