package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.TlsFiles;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.config.LinksConfig;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.gtm.wire.xc12.ResultType;
import io.mgtm.testing.Await;
import io.mgtm.testing.TestKeys;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that does not read costs little, disturbs nobody, and is closed in the end. */
class FlowControlTest {
  private static final int OPEN_TRANSACTIONS = 1_000;
  private static final long MEMORY_BYTES_MAX = 24L << 20;
  private static final int FRAME_MS = 300;

  /** After which a client that never reads is closed. */
  private static final int DEAF_MS = 1_000;

  private static final int RECEIVE_BYTES = 64 * 1024;

  @TempDir Path folder;

  private TestGtm in(int ioThreads, int frameMs, int outboundMs) {
    return TestGtm.in(folder)
        .ioThreads(ioThreads)
        .outboundBytesMax(256 * 1024)
        .timeouts(10_000, frameMs, outboundMs);
  }

  private TestGtm start(int ioThreads, int frameMs, int outboundMs) throws IOException {
    return in(ioThreads, frameMs, outboundMs).start();
  }

  private static int beginMany(RawClient client) throws IOException {
    RequestFrame begin = RequestFrame.command(MessageType.TXN_BEGIN_GETGXID_MULTI);
    begin.be32(OPEN_TRANSACTIONS);
    for (int i = 0; i < OPEN_TRANSACTIONS; i++) {
      begin.be32(1).u8(0).be32(-1);
    }
    return client.call(begin, ResultType.TXN_BEGIN_GETGXID_MULTI).int32(4);
  }

  private static long directBytes() {
    return PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
  }

  /** Writes requests until it cannot any more; what it asks for would take gigabytes. */
  private static Thread flood(Socket client, byte[] requests, AtomicLong written) {
    Thread thread =
        new Thread(
            () -> {
              try {
                OutputStream out = client.getOutputStream();
                for (int i = 0; i < 2_000; i++) {
                  out.write(requests);
                  written.addAndGet(requests.length);
                }
              } catch (IOException e) {
                written.set(-1); // The server has closed the connection.
              }
            });
    thread.start();
    return thread;
  }

  @Test
  void aClientThatNeverReadsIsReadNoMoreAndClosedInTheEnd() throws Exception {
    closeTheDeafClient(3);
  }

  @Test
  @Tag("long")
  void oneOfAServerWithOneThreadIsToo() throws Exception {
    closeTheDeafClient(1);
  }

  private void closeTheDeafClient(int ioThreads) throws Exception {
    try (TestGtm gtm = start(ioThreads, FRAME_MS, DEAF_MS)) {
      RawClient other = gtm.backend();
      int gxid = beginMany(other);
      other.commit(gxid + 1); // Snapshots list what lies before.
      other.commit(gxid + OPEN_TRANSACTIONS - 1);
      long before = directBytes();
      RawClient deaf = gtm.backend();
      deaf.begin();
      AtomicLong written = new AtomicLong();
      byte[][] snapshots = new byte[1_000][];
      java.util.Arrays.fill(snapshots, RawClient.snapshotFrame(gxid).bytes());
      Thread flood = flood(deaf.socket(), RequestFrame.concat(snapshots), written);
      AtomicLong memoryBytes = new AtomicLong();
      Await.until(
          "the flood ends",
          () -> {
            assertThat(other.running(gxid)).hasSize(OPEN_TRANSACTIONS - 2);
            memoryBytes.accumulateAndGet(directBytes() - before, Math::max);
            return !flood.isAlive();
          });
      assertThat(memoryBytes.get()).isLessThan(MEMORY_BYTES_MAX);
      assertThat(written.get()).as("the server has closed the connection").isEqualTo(-1);
      Await.until("its transaction ends", () -> count(other) == OPEN_TRANSACTIONS - 2);
      assertThat(gtm.server().failure()).isNotDone();
    }
  }

  /** The least that a node answers is asked for by little more. */
  @Test
  void aLinkThatNeverReadsCostsWhatWaitsForItAndIsClosedInTheEnd() throws Exception {
    closeTheDeafLink(1, true);
  }

  @Test
  @Tag("long")
  void oneInTheClearIsToo() throws Exception {
    closeTheDeafLink(3, false);
  }

  private void closeTheDeafLink(int ioThreads, boolean encrypted) throws Exception {
    TestKeys keys = TestKeys.make(folder, "node", "127.0.0.1");
    SocketFactory sockets =
        encrypted
            ? new TlsFiles("", null, null, keys.certificate()).client().context().getSocketFactory()
            : SocketFactory.getDefault();
    try (TestGtm gtm =
            in(ioThreads, FRAME_MS, DEAF_MS)
                .links(new LinksConfig(null, keys.certificate(), keys.key(), null, false, 10_000))
                .start();
        Socket deaf = sockets.createSocket()) {
      // What the kernel holds for it is no part of what the node does.
      deaf.setReceiveBufferSize(RECEIVE_BYTES);
      deaf.connect(gtm.server().address());
      long before = directBytes();
      ByteBuf pings = Unpooled.buffer();
      LinkWriter.preface(pings, LinkFormat.VERSION);
      LinkWriter.hello(pings, "p1", GatewayKind.PROXY);
      deaf.getOutputStream().write(ByteBufUtil.getBytes(pings));
      pings.clear();
      for (int i = 0; i < 10_000; i++) {
        LinkWriter.ping(pings, i);
      }
      AtomicLong written = new AtomicLong();
      Thread flood = flood(deaf, ByteBufUtil.getBytes(pings), written);
      AtomicLong memoryBytes = new AtomicLong();
      Await.untilAsserted(
          "the link ends",
          () -> {
            long waiting = memoryBytes.accumulateAndGet(directBytes() - before, Math::max);
            assertThat(flood.isAlive())
                .as("%d bytes were written, at most %d waited", written.get(), waiting)
                .isFalse();
          });
      assertThat(memoryBytes.get()).isLessThan(MEMORY_BYTES_MAX);
      assertThat(written.get()).as("the node has closed the link").isEqualTo(-1);
      assertThat(gtm.server().failure()).isNotDone();
    }
  }

  private static int count(RawClient client) {
    try {
      return client.openTransactions();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /**
   * A few bytes can ask for a lot: what one read brought is not answered at once. All together take
   * longer than a client may take nothing.
   */
  @Test
  void manyLargeRepliesWaitForASlowReaderAndAllArrive() throws Exception {
    readSlowly(1);
  }

  @Test
  @Tag("long")
  void soTheyDoFromSeveralThreads() throws Exception {
    readSlowly(3);
  }

  private void readSlowly(int ioThreads) throws Exception {
    try (TestGtm gtm = start(ioThreads, FRAME_MS, 3_000)) {
      RawClient other = gtm.backend();
      beginMany(other);
      long before = directBytes();
      RawClient slow = gtm.backend();
      int lists = 600;
      byte[][] requests = new byte[lists + 1][];
      for (int i = 0; i < lists; i++) {
        requests[i] = RequestFrame.command(MessageType.TXN_GXID_LIST).bytes();
      }
      requests[lists] = RequestFrame.command(MessageType.TXN_GET_NEXT_GXID).bytes();
      slow.send(requests);
      long memoryBytes = 0;
      for (int i = 0; i < lists; i++) {
        RawClient.Frame list = slow.read();
        assertThat(list.result()).isEqualTo(ResultType.TXN_GXID_LIST);
        assertThat(list.int32(4 + 44)).isEqualTo(OPEN_TRANSACTIONS);
        memoryBytes = Math.max(memoryBytes, directBytes() - before);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
      }
      assertThat(slow.read().result()).isEqualTo(ResultType.TXN_GET_NEXT_GXID);
      assertThat(memoryBytes).isLessThan(MEMORY_BYTES_MAX);
      slow.begin();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void pipelinedRequestsAreAnsweredInTheirOrder(int ioThreads) throws Exception {
    try (TestGtm gtm = start(ioThreads, 20_000, 60_000)) {
      RawClient client = gtm.backend();
      int rounds = 20_000;
      byte[][] begins = new byte[rounds][];
      java.util.Arrays.fill(begins, RawClient.beginFrame().bytes());
      AtomicLong written = new AtomicLong();
      byte[] all = RequestFrame.concat(begins);
      Thread writer =
          new Thread(
              () -> {
                try {
                  client.socket().getOutputStream().write(all);
                  written.set(all.length);
                } catch (IOException e) {
                  written.set(-1);
                }
              });
      writer.start();
      int first = client.read().int32(0);
      for (int i = 1; i < rounds; i++) {
        assertThat(client.read().int32(0)).isEqualTo(first + i);
      }
      writer.join();
      assertThat(written.get()).isEqualTo(all.length);
    }
  }
}
