package io.mgtm.rdma;

import io.mgtm.flash.AlignedBuffer;
import io.mgtm.flash.BufferPool;
import io.mgtm.jni.SharedHandle;

/**
 * A pool whose memory a device may touch. It stays registered until it is closed and no connection
 * is open that was made with it. Any thread.
 */
public final class RegisteredPool implements AutoCloseable {

  private final BufferPool pool;
  private final RdmaDomain domain;
  private final long address;
  private final long bytes;
  private final int localKey;
  private final int remoteKey;
  private final boolean remoteWritable;
  private final SharedHandle handle;

  RegisteredPool(BufferPool pool, RdmaDomain domain, Region region) {
    this.pool = pool;
    this.domain = domain;
    address = region.address;
    bytes = region.bytes;
    localKey = region.keys[0];
    remoteKey = region.keys[1];
    remoteWritable = region.remoteWritable;
    handle =
        new SharedHandle(
            this, "registration of " + pool, region.handle, it -> domain.deregister(it, pool));
  }

  /** The pool. */
  public BufferPool pool() {
    return pool;
  }

  /** The domain that it is registered with. */
  public RdmaDomain domain() {
    return domain;
  }

  /**
   * What a peer must know to write into the pool's memory.
   *
   * @throws IllegalStateException when it was not registered as remote writable
   */
  public RemoteMemory remoteMemory() {
    if (!remoteWritable) {
      throw new IllegalStateException(pool + " was not registered for writes by peers");
    }
    return new RemoteMemory(address, bytes, remoteKey);
  }

  int localKey() {
    return localKey;
  }

  long addressOf(AlignedBuffer buffer) {
    return address + buffer.poolOffset();
  }

  void acquire() {
    handle.acquire();
  }

  void release() {
    handle.release();
  }

  boolean closed() {
    return handle.closed();
  }

  /** Refuses further use; the registration ends when the last connection made with it is closed. */
  @Override
  public void close() {
    handle.close();
  }

  /** What registering gave. */
  static final class Region {
    private final long handle;
    private final long address;
    private final long bytes;
    private final int[] keys;
    private final boolean remoteWritable;

    Region(long handle, long address, long bytes, int[] keys, boolean remoteWritable) {
      this.handle = handle;
      this.address = address;
      this.bytes = bytes;
      this.keys = keys;
      this.remoteWritable = remoteWritable;
    }
  }
}
