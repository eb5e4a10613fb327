package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.node.engine.BackupViews;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.gtm.wire.xc12.RawClient.Frame;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.gtm.wire.xc12.ResultType;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What ends, and what stays, when clients, backends and nodes go. */
class SessionsTest {
  private static final int DATANODE = 4;

  @TempDir Path folder;

  private TestGtm start(int ioThreads) throws IOException {
    return TestGtm.in(folder).ioThreads(ioThreads).start();
  }

  private static void awaitOpen(RawClient observer, int count) {
    Await.until(
        count + " transactions are open",
        () -> {
          try {
            return observer.openTransactions() == count;
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aClientsOpenTransactionsEndWithItAndPreparedOnesStay(int ioThreads) throws IOException {
    try (TestGtm gtm = start(ioThreads)) {
      RawClient observer = gtm.backend();
      RawClient client = gtm.backend();
      int open = client.begin();
      int starting = client.begin();
      int prepared = client.begin();
      client.call(
          RequestFrame.command(MessageType.TXN_START_PREPARED)
              .gxid(starting)
              .string("S")
              .string(""),
          ResultType.TXN_START_PREPARED);
      client.prepare(prepared, "P");
      int own = observer.begin();
      client.close();
      awaitOpen(observer, 3);
      assertThat(observer.running(own)).doesNotContain(open);
      assertThat(observer.preparedTransactions()).isEqualTo(1);
      assertThat(observer.commit(open)).isFalse();
      assertThat(observer.commit(prepared)).isTrue();
      assertThat(observer.commit(starting)).isTrue();
    }
  }

  private static RequestFrame proxied(int backend, MessageType type) {
    return RequestFrame.proxied(backend, type);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aProxysPipelinedGroupsAreAnsweredInOrderEachWithItsBackend(int ioThreads)
      throws IOException {
    try (TestGtm gtm = start(ioThreads)) {
      RawClient proxy = gtm.proxy();
      for (int round = 0; round < 50; round++) {
        proxy.send(
            proxied(-1, MessageType.TXN_BEGIN_GETGXID_MULTI)
                .be32(2)
                .be32(1)
                .u8(0)
                .be32(5)
                .be32(1)
                .u8(0)
                .be32(6)
                .bytes(),
            RequestFrame.flush(),
            proxied(7, MessageType.TXN_BEGIN_GETGXID).be32(1).u8(0).bytes(),
            RequestFrame.flush(),
            proxied(8, MessageType.TXN_GET_NEXT_GXID).bytes(),
            RequestFrame.flush());
        Frame group = proxy.read();
        assertThat(group.result()).isEqualTo(ResultType.TXN_BEGIN_GETGXID_MULTI);
        assertThat(group.int16(0)).isEqualTo((short) -1);
        int first = group.int32(2 + 4);
        Frame single = proxy.read();
        assertThat(single.int16(0)).isEqualTo((short) 7);
        assertThat(single.int32(2)).isEqualTo(first + 2);
        Frame next = proxy.read();
        assertThat(next.int16(0)).isEqualTo((short) 8);
        assertThat(next.bigInt32(2)).isEqualTo(first + 3);
        proxy.send(
            proxied(-1, MessageType.TXN_COMMIT_MULTI)
                .be32(3)
                .gxid(first)
                .gxid(first + 1)
                .gxid(first + 2)
                .bytes(),
            RequestFrame.flush());
        assertThat(proxy.read().result()).isEqualTo(ResultType.TXN_COMMIT_MULTI);
      }
      awaitOpen(gtm.backend(), 0);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aBackendsDisconnectEndsItsTransactionsAndNoOthers(int ioThreads) throws IOException {
    try (TestGtm gtm = start(ioThreads)) {
      RawClient proxy = gtm.proxy();
      RawClient otherProxy = gtm.proxy();
      RawClient observer = gtm.backend();
      otherProxy.send(proxied(5, MessageType.TXN_BEGIN_GETGXID).be32(1).u8(0));
      int elsewhere = otherProxy.read().int32(2);
      proxy.send(
          proxied(5, MessageType.TXN_BEGIN_GETGXID).be32(1).u8(0).bytes(),
          proxied(6, MessageType.TXN_BEGIN_GETGXID).be32(1).u8(0).bytes());
      int gone = proxy.read().int32(2);
      int stays = proxy.read().int32(2);
      proxy.send(proxied(5, MessageType.BACKEND_DISCONNECT).u8(0));
      awaitOpen(observer, 2);
      assertThat(observer.commit(gone)).isFalse();
      assertThat(observer.commit(stays)).isTrue();
      assertThat(observer.commit(elsewhere)).isTrue();
    }
  }

  private static RequestFrame register(RequestFrame frame, String name) {
    return frame
        .le32(DATANODE)
        .string(name)
        .string("10.0.0.1")
        .le32(15_432)
        .string("")
        .string("/d")
        .le32(0);
  }

  /** Whether the one node that is registered is connected; its status stands last. */
  private static boolean isConnected(RawClient observer) throws IOException {
    Frame list = observer.call(RequestFrame.command(MessageType.NODE_LIST), ResultType.NODE_LIST);
    assertThat(list.bigInt32(0)).isEqualTo(1);
    return list.body().getInt(list.body().capacity() - 4) == 0;
  }

  private static void awaitDisconnected(RawClient observer) {
    Await.until(
        "the node is disconnected",
        () -> {
          try {
            return !isConnected(observer);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aNodeIsConnectedAsLongAsItsPostmasterIs(int ioThreads) throws IOException {
    try (TestGtm gtm = start(ioThreads)) {
      RawClient observer = gtm.backend();
      RawClient postmaster = gtm.connect().startup("dn1", DATANODE, true);
      RequestFrame frame = register(RequestFrame.command(MessageType.NODE_REGISTER), "dn1");
      Frame registered = postmaster.call(frame, ResultType.NODE_REGISTER);
      assertThat(registered.int32(0)).isEqualTo(DATANODE);
      assertThat(isConnected(observer)).isTrue();
      assertThat(observer.call(frame).error())
          .isEqualTo(
              "ERROR\n"
                  + "node \"dn1\" is registered and connected already\n"
                  + "Stop the other node of this name, or wait until its connection is found"
                  + " dead.");
      postmaster.close();
      awaitDisconnected(observer);
      RawClient again = gtm.connect().startup("dn1", DATANODE, true);
      again.call(frame, ResultType.NODE_REGISTER);
      assertThat(isConnected(observer)).isTrue();
      gtm.restart();
      RawClient later = gtm.backend();
      assertThat(isConnected(later)).isFalse();
      RequestFrame leave = RequestFrame.command(MessageType.NODE_UNREGISTER);
      later.call(leave.le32(DATANODE).string("dn1"), ResultType.NODE_UNREGISTER);
      Frame list = later.call(RequestFrame.command(MessageType.NODE_LIST), ResultType.NODE_LIST);
      assertThat(list.bigInt32(0)).isZero();
      assertThat(later.call(leave).error()).isEqualTo("ERROR\nnode \"dn1\" is not registered");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aNodeBehindAProxyIsDisconnectedByThePostmastersFarewell(int ioThreads) throws IOException {
    try (TestGtm gtm = start(ioThreads)) {
      RawClient observer = gtm.backend();
      RawClient proxy = gtm.proxy();
      proxy.send(register(proxied(3, MessageType.NODE_REGISTER), "dn2"));
      assertThat(proxy.read().result()).isEqualTo(ResultType.NODE_REGISTER);
      assertThat(isConnected(observer)).isTrue();
      proxy.send(proxied(4, MessageType.BACKEND_DISCONNECT).u8(0));
      assertThat(isConnected(observer)).isTrue();
      proxy.send(proxied(3, MessageType.BACKEND_DISCONNECT).u8(1).le32(DATANODE).string("dn2"));
      awaitDisconnected(observer);
      proxy.send(register(proxied(3, MessageType.NODE_REGISTER), "dn2"));
      assertThat(proxy.read().result()).isEqualTo(ResultType.NODE_REGISTER);
      proxy.close();
      awaitDisconnected(observer);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void barriersAreRememberedAcrossRestarts(int ioThreads) throws IOException {
    try (TestGtm gtm = start(ioThreads)) {
      RawClient client = gtm.backend();
      client.begin();
      client.call(RequestFrame.command(MessageType.BARRIER).string("one"), ResultType.BARRIER);
      client.begin();
      client.call(RequestFrame.command(MessageType.BARRIER).string("two"), ResultType.BARRIER);
      byte[] before = barriers(client);
      assertThat(new String(before, StandardCharsets.ISO_8859_1)).contains("one").contains("two");
      gtm.restart();
      assertThat(barriers(gtm.backend())).isEqualTo(before);
    }
  }

  private static byte[] barriers(RawClient client) throws IOException {
    Frame list =
        client.call(
            RequestFrame.command(MessageType.MGTM_BARRIER_LIST), ResultType.MGTM_BARRIER_LIST);
    assertThat(list.bigInt32(0)).isEqualTo(2);
    return list.body().array();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void betweenBeginAndEndOfABackupTheListsShowOneMoment(int ioThreads) throws IOException {
    try (TestGtm gtm = start(ioThreads)) {
      RawClient worker = gtm.backend();
      worker.createSequence("db.public.s", 1, 1, 1_000, 1, false);
      worker.prepare(worker.begin(), "P1");
      RawClient standby = gtm.connect().startup("standby", 5, false);
      byte[][] present = lists(standby);
      standby.call(RequestFrame.command(MessageType.BEGIN_BACKUP), ResultType.BEGIN_BACKUP);
      worker.begin();
      worker.prepare(worker.begin(), "P2");
      worker.next("db.public.s");
      worker.createSequence("db.public.t", 1, 1, 1_000, 1, false);
      assertThat(lists(standby)).isEqualTo(present);
      assertThat(lists(worker)).isNotEqualTo(present);
      standby.call(RequestFrame.command(MessageType.END_BACKUP), ResultType.END_BACKUP);
      assertThat(lists(standby)).isEqualTo(lists(worker));
    }
  }

  private static byte[][] lists(RawClient client) throws IOException {
    MessageType[] types = {
      MessageType.TXN_GET_NEXT_GXID,
      MessageType.TXN_GXID_LIST,
      MessageType.TXN_GET_ALL_PREPARED,
      MessageType.SEQUENCE_LIST
    };
    byte[][] lists = new byte[types.length][];
    for (int i = 0; i < types.length; i++) {
      lists[i] = client.call(RequestFrame.command(types[i])).body().array();
    }
    return lists;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void onlySoManyBackupsAreTakenAtATimeAndADeadOneCountsNoMore(int ioThreads) throws IOException {
    try (TestGtm gtm = start(ioThreads)) {
      RequestFrame begin = RequestFrame.command(MessageType.BEGIN_BACKUP);
      RawClient first = gtm.backend();
      first.call(begin, ResultType.BEGIN_BACKUP);
      for (int i = 1; i < BackupViews.VIEWS_MAX; i++) {
        gtm.backend().call(begin, ResultType.BEGIN_BACKUP);
      }
      RawClient late = gtm.backend();
      assertThat(late.call(begin).error())
          .isEqualTo("ERROR\n4 backups are being taken already\nWait until one has ended.");
      first.close();
      Await.until(
          "there is room for another",
          () -> {
            try {
              return late.call(begin).type() == 'S';
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }
}
