package io.mgtm.gtm.node;

import static io.mgtm.gtm.wire.xc12.RawClient.beginFrame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mgtm.common.Newcomers;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.gtm.wire.xc12.ResultType;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What breaks the protocol costs its sender the connection, and nobody else notices. */
class BadInputTest {
  private static final int STARTUP_MS = 2_000;
  private static final int FRAME_MS = 2_000;

  /** A limit that no test here waits for. */
  private static final int PATIENT_MS = 20_000;

  /** One that does not pass while a thousand connections are made on a busy machine. */
  private static final int LONG_MS = 600_000;

  private static final String HINT = "\nThis port speaks the GTM protocol of Postgres-XC 1.2.";

  @TempDir Path folder;

  private TestGtm start(int ioThreads) throws IOException {
    return start(ioThreads, PATIENT_MS, PATIENT_MS);
  }

  private TestGtm start(int ioThreads, int startupMs, int frameMs) throws IOException {
    return TestGtm.in(folder).ioThreads(ioThreads).timeouts(startupMs, frameMs, 60_000).start();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void eachKindOfBrokenInputIsAnsweredAndClosed(int ioThreads) throws IOException {
    try (TestGtm gtm = start(ioThreads)) {
      RawClient other = gtm.backend();
      int gxid = other.begin();
      byte[] http = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
      expectFatal(
          gtm.connect().send(http),
          "FATAL\nexpecting a startup packet, received message type 71" + HINT);
      expectFatal(
          gtm.connect().send(RequestFrame.of('A').text("too short")),
          "FATAL\nstartup packet: its body has 9 bytes instead of 72" + HINT);
      expectFatal(
          gtm.connect().send(new byte[] {'A', 0, 0, 0x10, 0}),
          "FATAL\nthe length of a frame is 4096, allowed is 4 to 4095");
      expectFatal(
          gtm.connect().send(RequestFrame.startup("n", 9, false)),
          "FATAL\nstartup packet: unknown node type 9");
      expectFatal(
          gtm.backend().send(RequestFrame.of('Z')), "FATAL\ninvalid frontend message type 90");
      expectFatal(
          gtm.backend().send(RequestFrame.of('C').be32(4_000)), "FATAL\ninvalid command type 4000");
      for (int length : new int[] {-1, 3, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 16}) {
        expectFatal(
            gtm.backend().send(RequestFrame.of('C').bytes(length)),
            "FATAL\nthe length of a frame is " + length + ", allowed is 4 to 65535");
      }
      expectFatal(
          gtm.backend()
              .send(RequestFrame.command(MessageType.TXN_COMMIT_MULTI).be32(4_096).gxid(1)),
          "FATAL\nTXN_COMMIT_MULTI: it counts 4096 items, and has bytes for fewer");
      expectFatal(
          gtm.backend().send(RequestFrame.command(MessageType.SEQUENCE_GET_NEXT).string("a.b")),
          "FATAL\nthe sequence key \"a.b\" is empty or not terminated");
      assertThat(other.commit(gxid)).isTrue();
      assertThat(gtm.server().failure()).isNotDone();
    }
  }

  private static void expectFatal(RawClient client, String error) throws IOException {
    assertThat(client.read().error()).isEqualTo(error);
    assertThat(client.isClosedByServer()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void whatCameBeforeTheBrokenFrameIsAnsweredFirst(int ioThreads) throws IOException {
    try (TestGtm gtm = start(ioThreads)) {
      RawClient client = gtm.backend();
      client.send(beginFrame().bytes(), beginFrame().bytes(), RequestFrame.of('?').bytes());
      assertThat(client.read().result()).isEqualTo(ResultType.TXN_BEGIN_GETGXID);
      assertThat(client.read().result()).isEqualTo(ResultType.TXN_BEGIN_GETGXID);
      expectFatal(client, "FATAL\ninvalid frontend message type 63");
      RawClient other = gtm.backend();
      Await.until("its transactions end", () -> openTransactions(other) == 0);
    }
  }

  private static int openTransactions(RawClient client) {
    try {
      return client.openTransactions();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aFrameThatIsCutByACloseIsDropped(int ioThreads) throws IOException {
    try (TestGtm gtm = start(ioThreads)) {
      for (int length = 1; length < beginFrame().bytes().length; length++) {
        RawClient client = gtm.backend();
        client.socket().getOutputStream().write(beginFrame().bytes(), 0, length);
        client.close();
      }
      RawClient other = gtm.backend();
      assertThat(other.openTransactions()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void framesThatTrickleInTimeAreServed(int ioThreads) throws IOException {
    try (TestGtm gtm = start(ioThreads)) {
      RawClient client = gtm.connect();
      byte[] startup = RequestFrame.startup("slow", 3, false);
      for (byte one : startup) {
        client.send(new byte[] {one});
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
      assertThat(client.read().type()).isEqualTo('R');
      for (byte one : beginFrame().bytes()) {
        client.send(new byte[] {one});
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
      }
      assertThat(client.read().result()).isEqualTo(ResultType.TXN_BEGIN_GETGXID);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aFrameThatIsStuckIsClosedInTime(int ioThreads) throws IOException {
    try (TestGtm gtm = start(ioThreads, PATIENT_MS, FRAME_MS)) {
      RawClient client = gtm.backend();
      RawClient idle = gtm.backend();
      client.send(new byte[] {'C', 0, 0});
      expectFatal(client, "FATAL\nthe rest of a frame did not come within " + FRAME_MS + " ms");
      idle.begin();
    }
  }

  /** By one thread, to which they come in the order in which they were made. */
  @Test
  void manyWhoStaySilentKeepNobodyOut() throws IOException {
    try (TestGtm gtm = start(1, LONG_MS, LONG_MS)) {
      List<RawClient> silent = new ArrayList<>();
      RawClient served = gtm.backend();
      for (int i = 0; i <= Newcomers.MAX; i++) {
        silent.add(gtm.connect());
      }
      expectFatal(silent.get(0), "FATAL\ntoo many connections have not said who they are");
      served.begin();
      gtm.backend().begin();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aConnectionWithoutAStartupPacketIsClosedInTime(int ioThreads) throws IOException {
    try (TestGtm gtm = start(ioThreads, STARTUP_MS, PATIENT_MS)) {
      String error = "FATAL\nno startup packet came within " + STARTUP_MS + " ms";
      List<RawClient> silent = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        silent.add(gtm.connect());
      }
      RawClient half = gtm.connect();
      half.send(new byte[] {'A', 0, 0, 0, 76, 'n'});
      for (RawClient client : silent) {
        expectFatal(client, error);
      }
      expectFatal(half, error);
    }
  }

  /** Each read ends within a frame, and each frame is whole in time: that is no stuck frame. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aBusyClientWhoseReadsNeverEndWithAFrameIsServedOn(int ioThreads) throws IOException {
    try (TestGtm gtm = start(ioThreads, PATIENT_MS, FRAME_MS)) {
      boolean inTime = false;
      for (int attempt = 0; attempt < 5 && !inTime; attempt++) {
        inTime = callsAndIsServed(gtm.backend());
      }
      assumeTrue(inTime, "SKIPPED: this machine let the client send no frame in time");
    }
  }

  /** Calls for longer than the limit; false when the client itself was slow with a frame. */
  private static boolean callsAndIsServed(RawClient client) throws IOException {
    byte[] frame = RequestFrame.command(MessageType.TXN_GET_NEXT_GXID).bytes();
    OutputStream out = client.socket().getOutputStream();
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(FRAME_MS + FRAME_MS / 2);
    long slowNanos = TimeUnit.MILLISECONDS.toNanos(FRAME_MS / 2);
    long begun = System.nanoTime();
    out.write(frame, 0, 3);
    for (int calls = 0; calls <= 5 || System.nanoTime() - until < 0; calls++) {
      out.write(frame, 3, frame.length - 3);
      long ended = System.nanoTime();
      if (ended - begun > slowNanos) {
        return false;
      }
      begun = ended;
      out.write(frame, 0, 3);
      assertThat(client.read().result()).isEqualTo(ResultType.TXN_GET_NEXT_GXID);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
    return true;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void afterItsFarewellAClientIsNotServed(int ioThreads) throws IOException {
    try (TestGtm gtm = start(ioThreads)) {
      RawClient client = gtm.backend();
      client.send(beginFrame().bytes(), RequestFrame.terminate(), beginFrame().bytes());
      assertThat(client.read().result()).isEqualTo(ResultType.TXN_BEGIN_GETGXID);
      assertThat(client.isClosedByServer()).isTrue();
      RawClient other = gtm.backend();
      Await.until("its transaction ends", () -> openTransactions(other) == 0);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aBackendsBrokenCommandDoesNotCloseItsProxy(int ioThreads) throws IOException {
    try (TestGtm gtm = start(ioThreads)) {
      RawClient proxy = gtm.proxy();
      proxy.send(
          RequestFrame.proxied(5, MessageType.SEQUENCE_GET_NEXT).string("no terminator").bytes(),
          RequestFrame.proxied(6, MessageType.TXN_BEGIN_GETGXID).be32(1).u8(0).bytes(),
          RequestFrame.flush());
      assertThat(proxy.read().proxiedError(5))
          .isEqualTo("ERROR\nthe sequence key \"no terminator\" is empty or not terminated");
      RawClient.Frame begun = proxy.read();
      assertThat(begun.result()).isEqualTo(ResultType.TXN_BEGIN_GETGXID);
      assertThat(begun.int16(0)).isEqualTo((short) 6);
    }
  }
}
