package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.LogException;
import io.mgtm.gtm.client.AdminClient;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SequenceReply;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.SnapshotReply;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.net.LocalSocket;
import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.gtm.node.backup.BackupFile;
import io.mgtm.gtm.node.backup.Restore;
import io.mgtm.gtm.node.engine.GtmStateMachine;
import io.mgtm.gtm.wire.link.AdminReplyKind;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes of a group in one process, and gateways as simple as can be. */
class GroupNodesIT {
  private static final long SESSION = 1L << 62;
  private static final String KEY = "d.s\0";

  @TempDir private Path folder;
  private TestNodes nodes;
  private TestGateway gateway;
  private final List<LinkClient> links = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    nodes = TestNodes.three(folder).startAll();
    gateway = new TestGateway(nodes, "p1", SESSION);
  }

  @AfterEach
  void stop() {
    links.forEach(LinkClient::close);
    gateway.close();
    nodes.close();
  }

  private LinkClient link(String node, String gateway) throws IOException {
    LinkClient link = nodes.link(node, gateway);
    links.add(link);
    return link;
  }

  private static Command begin() {
    return new TransactionCommand.Begin(
        SESSION, (short) 5, Isolation.READ_COMMITTED, false, BeginKind.GXID);
  }

  private static Command commit(int gxid) {
    return new TransactionCommand.End(TransactionRef.gxid(gxid), Outcome.COMMIT);
  }

  private static int gxid(Object reply) {
    return ((TransactionReply.Began) reply).gxid();
  }

  @Test
  void theLeaderServesAndTheOthersSayWhoLeads() throws Exception {
    List<Object> replies =
        gateway.ask(0, 1, begin(), begin(), new TransactionCommand.GetNextGxid());
    int first = gxid(replies.get(0));
    assertThat(gxid(replies.get(1))).isEqualTo(first + 1);
    assertThat(replies.get(2)).isEqualTo(new TransactionReply.NextGxid(first + 2));
    gateway.link().ping(77);
    assertThat(gateway.link().next(LinkClient.Event.Ponged.class).nonce()).isEqualTo(77);
    nodes.atLeader(leader -> aFollowerNames(leader.member()));
  }

  private Leadership aFollowerNames(String leader) throws IOException, InterruptedException {
    LinkClient other = link(nodes.follower(), "p2");
    String address = OwnAddress.HOST + ":" + nodes.server(leader).address().getPort();
    Await.until(
        "the follower to tell who leads",
        () -> other.leadership() != null && other.leadership().leaderAddress().equals(address));
    Leadership leadership = other.leadership();
    assertThat(leadership.leading()).isFalse();
    assertThat(leadership.leader()).isEqualTo(leader);
    other.attach(SESSION + 1, true);
    assertThat(other.next(LinkClient.Event.Refused.class).code())
        .isEqualTo(RefusalCode.NOT_LEADING);
    other.commands(SESSION + 1, 0, 1, new TransactionCommand.GetNextGxid());
    assertThat(other.next(LinkClient.Event.Refused.class).code())
        .isEqualTo(RefusalCode.NOT_LEADING);
    return leadership;
  }

  @Test
  void afterTheLeadersDeathTheSameCommandsGetTheSameReplies() throws Exception {
    Command[] commands = {
      begin(),
      begin(),
      new SequenceCommand.Init(KEY, 1, 1, 1_000, 1, false),
      new SequenceCommand.NextValue(KEY),
      new SequenceCommand.NextValue(KEY),
    };
    List<Object> replies = gateway.ask(0, 1, commands);
    nodes.kill(nodes.leader());
    assertThat(gateway.ask(0, 1, commands)).isEqualTo(replies);
    List<Object> more = gateway.ask(5, 6, begin(), new SequenceCommand.NextValue(KEY));
    assertThat(gxid(more.get(0))).isEqualTo(gxid(replies.get(1)) + 1);
    assertThat(more.get(1)).isEqualTo(new SequenceReply.Value(CommandType.NEXT_VALUE, KEY, 3));
  }

  @Test
  void theLeadershipIsHandedOver() throws Exception {
    int gxid = gxid(gateway.ask(0, 1, begin()).get(0));
    nodes.transfer(nodes.atLeader(leader -> tellsWhoLeads(leader.member())));
    LinkClient link = gateway.link();
    Await.until("the old leader's word", () -> !link.leads());
    link.commands(SESSION, 1, 2, begin());
    assertThat(link.next(LinkClient.Event.Refused.class).code()).isEqualTo(RefusalCode.NOT_LEADING);
    assertThat(gxid(gateway.ask(1, 2, begin()).get(0))).isEqualTo(gxid + 1);
  }

  /** A follower that tells an operator who leads. */
  private String tellsWhoLeads(String leader) throws IOException {
    String follower = nodes.follower();
    AdminClient.Answer elsewhere = nodes.ask(follower, "transfer", follower);
    assertThat(elsewhere.kind()).isEqualTo(AdminReplyKind.REDIRECT);
    assertThat(elsewhere.text())
        .isEqualTo(OwnAddress.HOST + ":" + nodes.server(leader).address().getPort());
    assertThat(nodes.ask(leader, "transfer", "g9").kind()).isEqualTo(AdminReplyKind.FAILED);
    Path socket = nodes.data(follower).resolve(LocalSocket.NAME);
    try (GtmClient here = GtmClient.connect(UnixDomainSocketAddress.of(socket))) {
      assertThat(here.nextGxid()).as("a client of the follower's own socket").isPositive();
    }
    return follower;
  }

  @Test
  void sessionsAndTransactionsOutliveADeathOfAllNodes() throws Exception {
    int first = gxid(gateway.ask(0, 1, begin(), begin()).get(0));
    nodes.killAll();
    nodes.startAll();
    List<Object> replies = gateway.ask(0, 1, begin(), begin(), begin());
    assertThat(replies).extracting(GroupNodesIT::gxid).containsExactly(first, first + 1, first + 2);
    Command ofTheLast = new SnapshotCommand.GetSnapshot(TransactionRef.gxid(first + 2));
    SnapshotReply.Snapshot snapshot = (SnapshotReply.Snapshot) gateway.ask(3, 4, ofTheLast).get(0);
    assertThat(snapshot.xmax()).as("all three are running").isEqualTo(first);
  }

  @Test
  void snapshotsShowWhatWasAcknowledgedBeforeThem() throws Exception {
    Set<Integer> given = new HashSet<>();
    long number = 0;
    for (int round = 0; round < 60; round++) {
      if (round == 20 || round == 40) {
        nodes.kill(nodes.leader());
        for (String name : List.of("g1", "g2", "g3")) {
          if (nodes.server(name) == null) {
            nodes.start(name);
          }
        }
      }
      List<Object> begun = gateway.ask(number, number + 1, begin(), begin());
      int ended = gxid(begun.get(0));
      int open = gxid(begun.get(1));
      assertThat(given.add(ended) && given.add(open)).as("new gxids").isTrue();
      gateway.ask(number + 2, number + 3, commit(ended));
      List<Object> replies =
          gateway.ask(
              number + 3,
              number + 4,
              new SnapshotCommand.GetSnapshot(TransactionRef.gxid(open)),
              commit(open));
      SnapshotReply.Snapshot snapshot = (SnapshotReply.Snapshot) replies.get(0);
      assertThat(replies.get(1)).isInstanceOf(TransactionReply.Ended.class);
      int[] running = snapshot.running().copy();
      assertThat(running).doesNotContain(ended);
      assertThat(snapshot.xmax()).isGreaterThan(ended);
      assertThat(Arrays.stream(running).allMatch(g -> g == open)).isTrue();
      number += 5;
    }
  }

  @Test
  void aMemberWithAnEmptiedFolderComesBack() throws Exception {
    int gxid = gxid(gateway.ask(0, 1, begin()).get(0));
    String lost = nodes.follower();
    nodes.kill(lost);
    try (Stream<Path> files = Files.walk(nodes.data(lost))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    nodes.start(lost);
    Await.until(
        "the member to catch up",
        () -> {
          NodeStatus leader = nodes.status(nodes.leader());
          return leader.members().size() == 3
              && leader.members().stream().allMatch(m -> m.voter() && m.lagEntries() == 0);
        });
    nodes.transfer(lost);
    assertThat(gxid(gateway.ask(0, 1, begin()).get(0))).isEqualTo(gxid);
  }

  @Test
  void membersAreAddedAndRemoved() throws Exception {
    nodes.atLeader(
        leader -> {
          assertThat(nodes.ask(leader.member(), "add", "g 4").kind())
              .isEqualTo(AdminReplyKind.FAILED);
          assertThat(nodes.ask(leader.member(), "add", "g4").kind()).isEqualTo(AdminReplyKind.DONE);
          return leader;
        });
    nodes.addNode("g4");
    nodes.start("g4");
    askUntilVoters(4, "add", "g4");
    askUntilVoters(3, "remove", nodes.follower());
    nodes.atLeader(
        leader -> {
          assertThat(nodes.ask(leader.member(), "remove", leader.member()).text())
              .contains("transfer the leadership first");
          assertThat(nodes.ask(leader.member(), "dance", "").text())
              .contains("no request \"dance\"");
          return leader;
        });
  }

  /**
   * Asks whoever leads until it counts as many voters: another change may be under way, and a
   * leader does not know what the one before it was asked.
   */
  private void askUntilVoters(int count, String verb, String member) {
    Await.until(
        verb + " " + member,
        () -> {
          String leader = nodes.leader();
          try {
            nodes.ask(leader, verb, member);
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
          return nodes.status(leader).members().stream().filter(m -> m.voter()).count() == count;
        });
  }

  @Test
  void aBackupHoldsWhatWasAcknowledged() throws Exception {
    gateway.ask(0, 1, new SequenceCommand.Init(KEY, 1, 1, 1_000, 1, false), begin());
    BackupFile backup = nodes.atLeader(this::backup);
    assertThat(backup.index()).isPositive();
    GtmStateMachine machine = new GtmStateMachine(io.mgtm.gtm.state.GtmState.empty());
    machine.load(io.mgtm.group.Pieces.of(backup.state(0, backup.stateBytes()))).run();
    assertThat(machine.state().counts().sequences()).isEqualTo(1);
    assertThat(machine.state().counts().transactions()).isEqualTo(1);
  }

  /** The leader's; a follower only tells who leads. */
  private BackupFile backup(NodeStatus leader) throws Exception {
    assertThat(nodes.ask(nodes.follower(), "backup", "").kind()).isEqualTo(AdminReplyKind.REDIRECT);
    AdminClient.Answer answer = nodes.ask(leader.member(), "backup", "");
    assertThat(answer.kind()).isEqualTo(AdminReplyKind.DONE);
    return BackupFile.decode(answer.bytes());
  }

  @Test
  void anyMemberServesXcClientsAndTheyDoNotSeeALeaderDie() throws Exception {
    String leader = nodes.leader();
    String follower = nodes.follower();
    try (GtmClient atLeader = GtmClient.connect(nodes.server(leader).address());
        GtmClient atFollower = GtmClient.connect(nodes.server(follower).address())) {
      int first = atLeader.begin();
      int second = atFollower.begin();
      assertThat(second).isEqualTo(first + 1);
      assertThat(atFollower.commit(first)).isTrue();
      assertThat(atLeader.snapshot(second).running().copy()).doesNotContain(first);
    }
    try (GtmClient client = GtmClient.connect(nodes.server(follower).address())) {
      int open = client.begin();
      nodes.kill(leader);
      int next = client.begin();
      assertThat(next).isEqualTo(open + 1);
      assertThat(client.commit(open)).isTrue();
      assertThat(client.snapshot(next).running().copy()).doesNotContain(open);
      assertThat(client.transactions().transactions()).hasSize(1);
    }
  }

  @Test
  void aBackupIsRestoredOnANewGroup() throws Exception {
    List<Object> replies =
        gateway.ask(
            0,
            1,
            new SequenceCommand.Init(KEY, 1, 1, 100_000, 1, false),
            new SequenceCommand.NextValue(KEY),
            begin());
    int gxid = gxid(replies.get(2));
    gateway.ask(0, 4, new TransactionCommand.StartPrepare(TransactionRef.gxid(gxid), "T1", "d1"));
    BackupFile backup = nodes.atLeader(this::backup);
    try (TestNodes restored = TestNodes.three(folder.resolve("restored"))) {
      for (String name : List.of("g1", "g2", "g3")) {
        Restore.place(restored.data(name), backup::writeTo);
      }
      restored.startAll();
      try (GtmClient client = GtmClient.connect(restored.server(restored.follower()).address())) {
        assertThat(client.nextValue(KEY)).isGreaterThan(1);
        assertThat(client.begin()).isGreaterThan(gxid);
        assertThat(client.transactions().transactions())
            .anyMatch(t -> t.gid().equals("T1") && t.gxid() == gxid);
      }
      for (String name : List.of("g1", "g2", "g3")) {
        Path waiting = restored.data(name).resolve("restore");
        Await.until("the backup's file to go", () -> !Files.exists(waiting));
      }
      String late = restored.follower();
      restored.stop(late);
      Files.move(restored.data(late), folder.resolve("lost"));
      Restore.place(restored.data(late), backup.skipping(1_000));
      restored.start(late);
      assertThat(restored.server(late).failure().get(1, TimeUnit.MINUTES))
          .isInstanceOf(LogException.class)
          .hasMessageContaining("empty this member's folder alone");
    }
  }
}
