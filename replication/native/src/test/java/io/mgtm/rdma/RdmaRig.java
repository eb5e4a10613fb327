package io.mgtm.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.flash.AlignedBuffer;
import io.mgtm.flash.BufferPool;
import io.mgtm.jni.Errno;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Assumptions;

/** A device, memory for two sides, and a thread for the listening one. */
final class RdmaRig implements AutoCloseable {

  static final long SOON_MS = 30_000;
  static final long SOON_NS = SOON_MS * 1_000_000;
  static final int BYTES = 4096;

  final RdmaDomain domain;
  final BufferPool clientPool = BufferPool.of(32, BYTES);
  final BufferPool serverPool = BufferPool.of(32, BYTES);
  final RegisteredPool clientMemory;
  final RegisteredPool serverMemory;
  final RdmaListener listener;
  final ExecutorService server = Executors.newSingleThreadExecutor();
  RdmaConnection near;
  RdmaConnection far;

  RdmaRig() throws RdmaException {
    domain = RdmaDomain.open(deviceAddress());
    clientMemory = domain.register(clientPool, false);
    serverMemory = domain.register(serverPool, true);
    listener = RdmaListener.listen(domain, 0, 4);
  }

  /** An address with a device, or the test is skipped. */
  static InetAddress deviceAddress() {
    Assumptions.assumeTrue(Rdma.available().usable(), "RDMA: " + Rdma.available().reason());
    Optional<InetAddress> found;
    try {
      found =
          NetworkInterface.networkInterfaces()
              .flatMap(NetworkInterface::inetAddresses)
              .filter(it -> it instanceof Inet4Address && !it.isLoopbackAddress())
              .filter(RdmaRig::hasDevice)
              .findFirst();
    } catch (SocketException e) {
      throw new AssertionError(e);
    }
    Assumptions.assumeTrue(found.isPresent(), "RDMA: no local IPv4 address has a device");
    return found.get();
  }

  private static boolean hasDevice(InetAddress address) {
    try (RdmaDomain domain = RdmaDomain.open(address)) {
      return !domain.deviceName().isEmpty();
    } catch (RdmaException e) {
      assertThat(e.errno()).isEqualTo(Errno.ENODEV);
      return false;
    }
  }

  RdmaOptions options(RegisteredPool pool) {
    return new RdmaOptions(8, 8, List.of(pool));
  }

  /** Connects; the far side has posted the given number of receives with tags from 0. */
  void connect(int farReceives) throws Exception {
    Future<RdmaConnection> accepted =
        server.submit(
            () -> {
              RdmaConnection it = listener.accept(options(serverMemory), SOON_MS).orElseThrow();
              for (int i = 0; i < farReceives; i++) {
                AlignedBuffer buffer = serverPool.tryAcquire();
                it.receive(i, buffer);
                buffer.release();
              }
              it.establish(new byte[] {5}, SOON_MS);
              return it;
            });
    near = RdmaConnector.prepare(domain, listener.localAddress(), options(clientMemory), SOON_MS);
    near.establish(new byte[] {1, 2, 3}, SOON_MS);
    far = accepted.get(SOON_MS, TimeUnit.MILLISECONDS);
  }

  <T> T onServer(Callable<T> action) throws Exception {
    try {
      return server.submit(action).get(SOON_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }

  AlignedBuffer clientBuffer(int first) {
    AlignedBuffer buffer = clientPool.tryAcquire();
    buffer.bytes().putInt(0, first);
    return buffer;
  }

  @Override
  public void close() {
    if (near != null) {
      near.close();
    }
    try {
      if (far != null) {
        server.submit(far::close).get(SOON_MS, TimeUnit.MILLISECONDS);
      }
      server.shutdown();
      assertThat(server.awaitTermination(SOON_MS, TimeUnit.MILLISECONDS)).isTrue();
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    }
    listener.close();
    clientMemory.close();
    serverMemory.close();
    domain.close();
  }
}
