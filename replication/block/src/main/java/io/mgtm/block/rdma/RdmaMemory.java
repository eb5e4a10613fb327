package io.mgtm.block.rdma;

import io.mgtm.flash.BufferPool;
import io.mgtm.rdma.RdmaChannel;
import io.mgtm.rdma.RdmaDomain;
import io.mgtm.rdma.RdmaException;
import io.mgtm.rdma.RegisteredPool;
import java.util.List;
import java.util.Optional;

/**
 * The registered memory of one connection: what comes in, and what goes out. Both sides of a
 * connection must use the same message size and window.
 */
final class RdmaMemory implements AutoCloseable {
  /** The longest message. */
  static final int MESSAGE_BYTES = 64 * 1024;

  private static final int WINDOW = 64;

  /** More than the window, so that credits flow while the event loop still holds some. */
  private static final int RECEIVES = WINDOW + 32;

  private static final int SENDS = 32;

  private final BufferPool receiveBuffers = BufferPool.of(RECEIVES, MESSAGE_BYTES);
  private final BufferPool sendBuffers = BufferPool.of(SENDS, MESSAGE_BYTES);
  private final RdmaDomain ownDomain;
  private final RegisteredPool receives;
  private final RegisteredPool sends;

  /** Registers the memory with {@code domain}, which stays the caller's. */
  RdmaMemory(RdmaDomain domain) throws RdmaException {
    this(domain, null);
  }

  private RdmaMemory(RdmaDomain domain, RdmaDomain ownDomain) throws RdmaException {
    this.ownDomain = ownDomain;
    receives = domain.register(receiveBuffers, false);
    try {
      sends = domain.register(sendBuffers, false);
    } catch (RdmaException e) {
      receives.close();
      throw e;
    }
  }

  /** Registers the memory with {@code domain} and closes that too at the end. */
  static RdmaMemory owning(RdmaDomain domain) throws RdmaException {
    try {
      return new RdmaMemory(domain, domain);
    } catch (RdmaException e) {
      domain.close();
      throw e;
    }
  }

  RdmaChannel.Setup setup() {
    return new RdmaChannel.Setup(WINDOW, receives, List.of(sends), Optional.empty());
  }

  /** Where outgoing messages are put. */
  BufferPool sendBuffers() {
    return sendBuffers;
  }

  @Override
  public void close() {
    receives.close();
    sends.close();
    receiveBuffers.close();
    sendBuffers.close();
    if (ownDomain != null) {
      ownDomain.close();
    }
  }
}
