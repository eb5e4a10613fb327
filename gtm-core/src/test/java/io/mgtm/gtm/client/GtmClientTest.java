package io.mgtm.gtm.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.NodeCommand.NodeAddress;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SequenceReply.SequenceInfo;
import io.mgtm.gtm.command.SnapshotCommand.AssignGxidAndGetSnapshot;
import io.mgtm.gtm.command.SnapshotCommand.GetSnapshotMany;
import io.mgtm.gtm.command.SnapshotReply.Snapshot;
import io.mgtm.gtm.command.TransactionCommand.AssignGxid;
import io.mgtm.gtm.command.TransactionCommand.BeginItem;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionCommand.BeginMany;
import io.mgtm.gtm.command.TransactionCommand.EndMany;
import io.mgtm.gtm.command.TransactionCommand.GetStatus;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.command.TransactionReply.BeganMany;
import io.mgtm.gtm.command.TransactionReply.EndedMany;
import io.mgtm.gtm.command.TransactionReply.GxidAssigned;
import io.mgtm.gtm.command.TransactionReply.Status;
import io.mgtm.gtm.command.TransactionState;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.GtmServer;
import io.mgtm.gtm.wire.xc12.Startup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client against a GTM in this process, and against servers that misbehave. */
class GtmClientTest {
  @TempDir private static Path folder;
  private static GtmServer server;

  @BeforeAll
  static void start() throws IOException {
    server = GtmServer.start(GtmConfig.at(folder, new HostPort("127.0.0.1", 0)));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static GtmClient connect() throws IOException {
    return GtmClient.connect(server.address());
  }

  private static ClientSettings waiting(int ms) {
    return new ClientSettings(new Startup("t", NodeType.DEFAULT, false), ms, ms, 64 * 1024);
  }

  @Test
  void transactionsBeginAreSeenAndEnd() throws IOException {
    try (GtmClient client = connect()) {
      int gxid = client.begin();
      var snapshot = client.snapshot(gxid);
      assertThat(snapshot.xmin()).isLessThanOrEqualTo(gxid);
      assertThat(client.call(new GetStatus(TransactionRef.gxid(gxid)), Status.class).state())
          .isIn(TransactionState.STARTING, TransactionState.IN_PROGRESS);
      assertThat(client.transactions().transactions())
          .extracting(TransactionReply.TransactionInfo::gxid)
          .contains(gxid);
      assertThat(client.commit(gxid)).isTrue();
      assertThat(client.rollback(gxid)).isFalse();
      assertThat(client.nextGxid()).isGreaterThan(gxid);

      int handle = client.begin(BeginKind.HANDLE, Isolation.SERIALIZABLE, false).handle();
      int assigned =
          client.call(new AssignGxid(TransactionRef.handle(handle)), GxidAssigned.class).gxid();
      assertThat(client.rollback(assigned)).isTrue();
      handle = client.begin(BeginKind.HANDLE, Isolation.SERIALIZABLE, true).handle();
      assigned =
          client
              .call(new AssignGxidAndGetSnapshot(TransactionRef.handle(handle)), Snapshot.class)
              .gxid();
      assertThat(client.end(TransactionRef.gxid(assigned), Outcome.COMMIT).known()).isTrue();
    }
  }

  @Test
  void groupsBeginAndEndTogether() throws IOException {
    try (GtmClient client = connect()) {
      BeginItem item = new BeginItem((short) -1, Isolation.READ_COMMITTED, false);
      var began = client.call(new BeginMany(0, List.of(item, item)), BeganMany.class);
      List<TransactionRef> refs =
          List.of(
              TransactionRef.gxid(began.firstGxid()), TransactionRef.gxid(began.firstGxid() + 1));
      assertThat(client.call(new GetSnapshotMany(refs), Snapshot.class).known().count())
          .isEqualTo(2);
      assertThat(client.call(new EndMany(refs, Outcome.COMMIT), EndedMany.class).known().get(1))
          .isTrue();
    }
  }

  @Test
  void preparedTransactionsAreFoundByGidAndEnded() throws IOException {
    try (GtmClient client = connect()) {
      int gxid = client.begin();
      client.startPrepare(gxid, "client-test", "c1,d1");
      client.prepare(gxid);
      assertThat(client.preparedTransactions())
          .extracting(TransactionReply.TransactionInfo::gid)
          .contains("client-test");
      var ending = client.beginForPrepared("client-test");
      assertThat(ending.preparedGxid()).isEqualTo(gxid);
      assertThat(ending.nodes()).isEqualTo("c1,d1");
      assertThat(client.commitPrepared(gxid, ending.gxid())).isTrue();
    }
  }

  @Test
  void sequencesNodesAndBarriersAreServed() throws IOException {
    try (GtmClient client = connect()) {
      String key = GtmClient.sequenceKey("db.s.naïve");
      client.createSequence(key);
      assertThat(client.nextValue(key)).isOne();
      assertThat(client.nextValue(key)).isEqualTo(2);
      assertThat(client.lastValue(key)).isEqualTo(2);
      client.sequence(new SequenceCommand.SetValue(key, 40, true));
      assertThat(client.nextValue(key)).isEqualTo(41);
      assertThat(client.sequences()).extracting(SequenceInfo::key).contains(key);
      client.dropSequence(key);

      NodeAddress node = new NodeAddress(NodeType.DATANODE, "d9", "", "127.0.0.1", 5433, "/d9");
      client.register(node);
      assertThat(client.nodes())
          .anySatisfy(
              n -> {
                assertThat(n.address()).isEqualTo(node);
                assertThat(n.connected()).isTrue();
              });
      client.disconnect(NodeType.DATANODE, "d9");
      assertThat(client.nodes()).anySatisfy(n -> assertThat(n.connected()).isFalse());
      client.unregister(NodeType.DATANODE, "d9");

      client.beginBackup();
      client.endBackup();
      client.barrier("b1");
      assertThat(client.barriers()).anySatisfy(b -> assertThat(b.id()).isEqualTo("b1"));
    }
  }

  @Test
  void anErrorLeavesTheConnectionUsable() throws IOException {
    try (GtmClient client = connect()) {
      assertThatThrownBy(() -> client.nextValue(GtmClient.sequenceKey("no.such.one")))
          .isInstanceOfSatisfying(GtmErrorException.class, e -> assertThat(e.fatal()).isFalse())
          .hasMessageContaining("no.such.one");
      assertThat(client.commit(client.begin())).isTrue();
    }
  }

  @Test
  void aPortWhereNobodyListensIsNamed() throws IOException {
    InetSocketAddress free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = (InetSocketAddress) socket.getLocalSocketAddress();
    }
    assertThatThrownBy(() -> GtmClient.connect(free))
        .hasMessageContaining("cannot connect to the GTM at")
        .hasMessageContaining(String.valueOf(free.getPort()));
    assertThatThrownBy(
            () -> GtmClient.connect(InetSocketAddress.createUnresolved("no.such.host", 1)))
        .hasMessageContaining("host name is not known");
  }

  @Test
  void aServerThatDoesNotAnswerIsGivenUp() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(
              () ->
                  GtmClient.connect(
                      (InetSocketAddress) silent.getLocalSocketAddress(), waiting(200)))
          .hasMessageContaining("within 200 ms");
    }
  }

  @Test
  void aServerOfAnotherProtocolIsRecognised() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread answering =
          new Thread(
              () -> {
                try (Socket accepted = other.accept()) {
                  accepted.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n".getBytes(US));
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      answering.start();
      assertThatThrownBy(
              () ->
                  GtmClient.connect(
                      (InetSocketAddress) other.getLocalSocketAddress(), waiting(180_000)))
          .hasMessageContaining("broke the protocol")
          .hasMessageContaining("Postgres-XC");
      answering.join(5_000);
    }
  }

  private static final java.nio.charset.Charset US = java.nio.charset.StandardCharsets.US_ASCII;
}
