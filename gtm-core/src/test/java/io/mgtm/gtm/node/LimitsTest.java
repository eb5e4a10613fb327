package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.gtm.wire.xc12.ResultType;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The edges: of 32-bit gxids, of what is admitted, of sequences; all of it over the wire. */
class LimitsTest {
  private static final long HALF_SPACE = 1L << 31;

  @TempDir Path folder;

  @Test
  void gxidsGoOverTheEdgeOf32Bits() throws IOException {
    try (TestGtm gtm = TestGtm.in(folder).gxid(0xffff_fffaL, 1_000_000, 11_000_000).start()) {
      RawClient client = gtm.backend();
      List<Integer> given = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        given.add(client.begin());
      }
      assertThat(given).containsExactly(-6, -5, -4, -3, -2, -1, 3, 4, 5, 6);
      client.commit(6);
      assertThat(client.running(-6)).containsExactly(-6, -5, -4, -3, -2, -1, 3, 4, 5);
      RawClient.Frame snapshot = client.call(RawClient.snapshotFrame(5), ResultType.SNAPSHOT_GET);
      assertThat(snapshot.int32(12)).as("xmin").isEqualTo(-6);
      assertThat(snapshot.int32(16)).as("xmax").isEqualTo(7);
      assertThat(snapshot.int32(20)).as("recent global xmin").isEqualTo(-6);
      for (int gxid : new int[] {-6, -5, -4, -3, -1, 4}) {
        assertThat(client.commit(gxid)).isTrue();
      }
      assertThat(client.running(5)).containsExactly(-2, 3, 5);
      client.prepare(-2, "before the edge");
      client.prepare(3, "after the edge");
      gtm.restart();
      client = gtm.backend();
      int next = client.begin();
      assertThat(next).isEqualTo(7);
      client.commit(client.begin());
      assertThat(client.running(next)).containsExactly(-2, 3, 7);
      assertThat(client.commit(-2)).isTrue();
      assertThat(client.running(next)).containsExactly(3, 7);
      assertThat(client.commit(3)).isTrue();
    }
  }

  @Test
  void groupsGoOverTheEdgeOf32BitsToo() throws IOException {
    try (TestGtm gtm = TestGtm.in(folder).gxid(0xffff_fffeL, 1_000_000, 11_000_000).start()) {
      RawClient client = gtm.backend();
      RequestFrame begin = RequestFrame.command(MessageType.TXN_BEGIN_GETGXID_MULTI).be32(4);
      for (int i = 0; i < 4; i++) {
        begin.be32(1).u8(0).be32(-1);
      }
      RawClient.Frame reply = client.call(begin, ResultType.TXN_BEGIN_GETGXID_MULTI);
      assertThat(reply.int32(0)).isEqualTo(4);
      assertThat(reply.int32(4)).isEqualTo(-2);
      // Clients count up from the first and skip the special ids themselves.
      assertThat(client.commit(-2) && client.commit(-1)).isTrue();
      assertThat(client.commit(3) && client.commit(4)).isTrue();
      assertThat(client.openTransactions()).isZero();
    }
  }

  @Test
  void beginsStopBeforeGxidsWrapAndGoOnOnceTheOldestHasAdvanced() throws Exception {
    try (TestGtm gtm =
        TestGtm.in(folder).gxid(1_000, HALF_SPACE - 20, HALF_SPACE - 10).withMetrics().start()) {
      RawClient client = gtm.backend();
      for (int i = 0; i < 20; i++) {
        assertThat(client.begin()).isEqualTo(1_000 + i);
      }
      String refusal =
          "ERROR\nno more gxids are given, to avoid wraparound data loss: next is 1020,"
              + " ids wrap at 2147484648\nVACUUM FREEZE every database on every node, then tell"
              + " the GTM the oldest id left: mgtm gtm advance-oldest.";
      assertThat(client.call(RawClient.beginFrame()).error()).isEqualTo(refusal);
      RequestFrame group = RequestFrame.command(MessageType.TXN_BEGIN_GETGXID_MULTI);
      assertThat(client.call(group.be32(1).be32(1).u8(0).be32(-1)).error()).isEqualTo(refusal);
      // What needs no gxid goes on, until it does.
      RequestFrame begin = RequestFrame.command(MessageType.TXN_BEGIN).be32(1).u8(0);
      int handle = client.call(begin, ResultType.TXN_BEGIN).int32(0);
      assertThat(client.call(RequestFrame.command(MessageType.TXN_GET_GXID).le32(handle)).error())
          .isEqualTo(refusal);
      client.call(RequestFrame.command(MessageType.TXN_ROLLBACK).handle(handle));
      RequestFrame advance = RequestFrame.command(MessageType.MGTM_ADVANCE_OLDEST_GXID).le32(1_020);
      assertThat(client.call(advance).error())
          .isEqualTo("ERROR\nthe oldest gxid cannot become 1020: it must lie from 1000 to 1000");
      for (int i = 0; i < 20; i++) {
        client.commit(1_000 + i);
      }
      assertThat(client.call(RawClient.beginFrame()).error()).isEqualTo(refusal);
      RawClient.Frame advanced = client.call(advance, ResultType.MGTM_ADVANCE_OLDEST_GXID);
      assertThat(advanced.int32(0)).isEqualTo(1_020);
      assertThat(advanced.int32(4)).isEqualTo(1_040);
      assertThat(client.begin()).isEqualTo(1_020);
      Await.until("the gauge shows it", () -> gtm.gauge("mgtm_gxid_until_stop") == 19);
      gtm.restart();
      assertThat(gtm.backend().begin()).isEqualTo(1_021);
    }
  }

  @Test
  void onlySoMuchIsAdmittedAndTheErrorSaysWhichLimit() throws IOException {
    try (TestGtm gtm = TestGtm.in(folder).admitting(5, 3, 2, 1).start()) {
      RawClient client = gtm.backend();
      List<Integer> open = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        open.add(client.begin());
      }
      assertThat(client.call(RawClient.beginFrame()).error())
          .isEqualTo(
              "ERROR\nthe limit of 5 open transactions is reached\n"
                  + "End some, or raise limits.transactionsMax.");
      client.commit(open.get(4));
      assertThat(client.call(RawClient.snapshotFrame(open.get(0))).error())
          .isEqualTo(
              "ERROR\na snapshot would list 4 running transactions, the limit is 3\nClients of"
                  + " Postgres-XC 1.2 have room for 4096; raise limits.snapshotGxidsMax only for"
                  + " others.");
      client.commit(open.get(0));
      assertThat(client.running(open.get(1))).hasSize(3);
      client.createSequence("a.b", 1, 1, 9, 1, false);
      client.createSequence("a.c", 1, 1, 9, 1, false);
      RequestFrame third = RequestFrame.command(MessageType.SEQUENCE_INIT).key("a.d");
      assertThat(client.call(third.le64(1).le64(1).le64(9).le64(1).u8(0)).error())
          .isEqualTo("ERROR\nthe limit of 2 sequences is reached\nRaise limits.sequencesMax.");
      client.call(node("n1"), ResultType.NODE_REGISTER);
      assertThat(client.call(node("n2")).error())
          .isEqualTo(
              "ERROR\nthe limit of 1 nodes is reached\n"
                  + "Raise limits.nodesMax, or unregister nodes that are gone.");
    }
  }

  private static RequestFrame node(String name) {
    return RequestFrame.command(MessageType.NODE_REGISTER)
        .le32(4)
        .string(name)
        .string("h")
        .le32(1)
        .string("")
        .string("/d")
        .le32(0);
  }

  /** All or nothing, or a replay of the log would know of a gxid that nobody got. */
  @Test
  void aRefusedSnapshotGivesNoGxidEither() throws IOException {
    try (TestGtm gtm = TestGtm.in(folder).admitting(100, 2, 2, 1).start()) {
      RawClient client = gtm.backend();
      for (int i = 0; i < 4; i++) {
        client.begin();
      }
      client.commit(client.begin());
      RequestFrame begin = RequestFrame.command(MessageType.TXN_BEGIN).be32(1).u8(0);
      int handle = client.call(begin, ResultType.TXN_BEGIN).int32(0);
      int next = next(client);
      RequestFrame both = RequestFrame.command(MessageType.SNAPSHOT_GXID_GET).u8(1).handle(handle);
      assertThat(client.call(both).error()).contains("a snapshot would list 4 running");
      assertThat(next(client)).isEqualTo(next);
    }
  }

  private static int next(RawClient client) throws IOException {
    return client
        .call(RequestFrame.command(MessageType.TXN_GET_NEXT_GXID), ResultType.TXN_GET_NEXT_GXID)
        .bigInt32(0);
  }

  private static List<Long> draw(RawClient client, String key, int count) throws IOException {
    List<Long> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      values.add(client.next(key));
    }
    return values;
  }

  @Test
  void sequencesEndWithAClearError() throws IOException {
    try (TestGtm gtm = TestGtm.in(folder).start()) {
      RawClient client = gtm.backend();
      client.createSequence("db.public.up", 2, 1, 6, 1, false);
      assertThat(draw(client, "db.public.up", 3)).containsExactly(1L, 3L, 5L);
      String maximum = "ERROR\nnextval: reached maximum value of sequence \"db.public.up\" (6)";
      assertThat(client.call(RawClient.nextFrame("db.public.up")).error()).isEqualTo(maximum);
      assertThat(client.call(RawClient.nextFrame("db.public.up")).error()).isEqualTo(maximum);
      client.createSequence("db.public.down", -1, -3, -1, -1, false);
      assertThat(draw(client, "db.public.down", 3)).containsExactly(-1L, -2L, -3L);
      assertThat(client.call(RawClient.nextFrame("db.public.down")).error())
          .isEqualTo("ERROR\nnextval: reached minimum value of sequence \"db.public.down\" (-3)");
      assertThat(client.call(RawClient.nextFrame("db.public.none")).error())
          .isEqualTo("ERROR\nsequence \"db.public.none\" does not exist at the GTM");
      gtm.restart();
      assertThat(gtm.backend().call(RawClient.nextFrame("db.public.up")).error())
          .isEqualTo(maximum);
    }
  }

  @Test
  void sequencesCycleWithinTheirBounds() throws IOException {
    try (TestGtm gtm = TestGtm.in(folder).start()) {
      RawClient client = gtm.backend();
      client.createSequence("d.up", 3, 1, 7, 4, true);
      assertThat(draw(client, "d.up", 6)).containsExactly(4L, 7L, 1L, 4L, 7L, 1L);
      client.createSequence("d.down", -2, -4, 0, -2, true);
      assertThat(draw(client, "d.down", 6)).containsExactly(-2L, -4L, 0L, -2L, -4L, 0L);
      gtm.restart();
      assertThat(draw(gtm.backend(), "d.up", 2)).containsExactly(4L, 7L);
    }
  }

  @Test
  void sequencesReachTheEndsOf64Bits() throws IOException {
    try (TestGtm gtm = TestGtm.in(folder).start()) {
      RawClient client = gtm.backend();
      long top = Long.MAX_VALUE - 1;
      client.createSequence("d.up", 1_000, 1, top, top - 1_500, false);
      assertThat(draw(client, "d.up", 2)).containsExactly(top - 1_500, top - 500);
      assertThat(client.call(RawClient.nextFrame("d.up")).error())
          .isEqualTo("ERROR\nnextval: reached maximum value of sequence \"d.up\" (" + top + ")");
      client.createSequence("d.down", -5, Long.MIN_VALUE, -1, Long.MIN_VALUE + 7, false);
      assertThat(draw(client, "d.down", 2)).containsExactly(Long.MIN_VALUE + 7, Long.MIN_VALUE + 2);
      assertThat(client.call(RawClient.nextFrame("d.down")).error())
          .isEqualTo(
              "ERROR\nnextval: reached minimum value of sequence \"d.down\" ("
                  + Long.MIN_VALUE
                  + ")");
    }
  }
}
