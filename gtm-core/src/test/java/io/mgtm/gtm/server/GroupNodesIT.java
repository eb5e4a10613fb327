package io.mgtm.gtm.server;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.mgtm.gtm.wire.link.AdminReplyKind;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.gtm.wire.link.Standing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes of a group in one process, and fronts as simple as can be. */
@Timeout(120)
class GroupNodesIT {
  private static final long SESSION = 1L << 62;
  private static final String KEY = "d.s\0";

  @TempDir private Path folder;
  private TestNodes nodes;
  private final List<LinkClient> links = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    nodes = TestNodes.three(folder).startAll();
  }

  @AfterEach
  void stop() {
    links.forEach(LinkClient::close);
    nodes.close();
  }

  private LinkClient link(String node, String front) throws IOException {
    LinkClient link = nodes.link(node, front);
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

  /** A link to the leader with the session attached. */
  private LinkClient attached(boolean fresh) throws IOException, InterruptedException {
    LinkClient link = link(nodes.leader(), "p1");
    link.attach(SESSION, fresh);
    link.next(LinkClient.Event.Attached.class);
    return link;
  }

  @Test
  void theLeaderServesAndTheOthersSayWhoLeads() throws Exception {
    LinkClient link = attached(true);
    link.commands(SESSION, 0, 1, begin(), begin(), new TransactionCommand.GetNextGxid());
    int first = gxid(link.reply());
    assertThat(gxid(link.reply())).isEqualTo(first + 1);
    assertThat(link.reply()).isEqualTo(new TransactionReply.NextGxid(first + 2));
    link.ping(77);
    assertThat(link.next(LinkClient.Event.Ponged.class).nonce()).isEqualTo(77);

    String leader = nodes.leader();
    LinkClient other = link(nodes.follower(), "p2");
    String address = "127.0.0.1:" + nodes.server(leader).address().getPort();
    TestGtm.await(
        "the follower to tell who leads",
        () -> other.standing() != null && other.standing().leaderAddress().equals(address));
    Standing standing = other.standing();
    assertThat(standing.leading()).isFalse();
    assertThat(standing.leader()).isEqualTo(leader);
    other.attach(SESSION + 1, true);
    assertThat(other.next(LinkClient.Event.Refused.class).code())
        .isEqualTo(RefusalCode.NOT_LEADING);
    other.commands(SESSION + 1, 0, 1, new TransactionCommand.GetNextGxid());
    assertThat(other.next(LinkClient.Event.Refused.class).code())
        .isEqualTo(RefusalCode.NOT_LEADING);
  }

  @Test
  void afterTheLeadersDeathTheSameCommandsGetTheSameReplies() throws Exception {
    LinkClient link = attached(true);
    Command[] commands = {
      begin(),
      begin(),
      new SequenceCommand.Init(KEY, 1, 1, 1_000, 1, false),
      new SequenceCommand.NextValue(KEY),
      new SequenceCommand.NextValue(KEY),
    };
    link.commands(SESSION, 0, 1, commands);
    List<Object> replies = new ArrayList<>();
    for (int i = 0; i < commands.length; i++) {
      replies.add(link.reply());
    }
    nodes.kill(nodes.leader());
    LinkClient next = attached(false);
    next.commands(SESSION, 0, 1, commands);
    for (Object reply : replies) {
      assertThat(next.reply()).isEqualTo(reply);
    }
    next.commands(SESSION, 5, 6, begin(), new SequenceCommand.NextValue(KEY));
    assertThat(gxid(next.reply())).isEqualTo(gxid(replies.get(1)) + 1);
    assertThat(next.reply()).isEqualTo(new SequenceReply.Value(CommandType.NEXT_VALUE, KEY, 3));
  }

  @Test
  void theLeadershipIsHandedOver() throws Exception {
    LinkClient link = attached(true);
    link.commands(SESSION, 0, 1, begin());
    int gxid = gxid(link.reply());
    String from = nodes.leader();
    String to = nodes.follower();
    try (AdminClient admin = nodes.admin(to)) {
      AdminClient.Answer elsewhere = admin.ask("transfer", to);
      assertThat(elsewhere.kind()).isEqualTo(AdminReplyKind.REDIRECT);
      assertThat(elsewhere.text()).isEqualTo("127.0.0.1:" + nodes.server(from).address().getPort());
    }
    try (AdminClient admin = nodes.admin(from)) {
      assertThat(admin.ask("transfer", "g9").kind()).isEqualTo(AdminReplyKind.FAILED);
    }
    nodes.transfer(to);
    TestGtm.await("the old leader's word", () -> !link.leads());
    link.commands(SESSION, 1, 2, begin());
    assertThat(link.next(LinkClient.Event.Refused.class).code()).isEqualTo(RefusalCode.NOT_LEADING);
    LinkClient next = attached(false);
    next.commands(SESSION, 1, 2, begin());
    assertThat(gxid(next.reply())).isEqualTo(gxid + 1);
  }

  @Test
  void sessionsAndTransactionsOutliveADeathOfAllNodes() throws Exception {
    LinkClient link = attached(true);
    link.commands(SESSION, 0, 1, begin(), begin());
    int first = gxid(link.reply());
    link.reply();
    nodes.killAll();
    nodes.startAll();
    LinkClient next = attached(false);
    next.commands(SESSION, 0, 1, begin(), begin(), begin());
    assertThat(gxid(next.reply())).isEqualTo(first);
    assertThat(gxid(next.reply())).isEqualTo(first + 1);
    assertThat(gxid(next.reply())).isEqualTo(first + 2);
    next.commands(SESSION, 3, 4, new SnapshotCommand.GetSnapshot(TransactionRef.gxid(first + 2)));
    SnapshotReply.Snapshot snapshot = (SnapshotReply.Snapshot) next.reply();
    assertThat(snapshot.xmax()).as("all three are running").isEqualTo(first);
  }

  @Test
  void snapshotsShowWhatWasAcknowledgedBeforeThem() throws Exception {
    LinkClient link = attached(true);
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
        link = attached(false);
      }
      link.commands(SESSION, number, number + 1, begin(), begin());
      int ended = gxid(link.reply());
      int open = gxid(link.reply());
      assertThat(given.add(ended) && given.add(open)).as("new gxids").isTrue();
      link.commands(SESSION, number + 2, number + 3, commit(ended));
      link.reply();
      link.commands(
          SESSION,
          number + 3,
          number + 4,
          new SnapshotCommand.GetSnapshot(TransactionRef.gxid(open)),
          commit(open));
      SnapshotReply.Snapshot snapshot = (SnapshotReply.Snapshot) link.reply();
      assertThat(link.reply()).isInstanceOf(TransactionReply.Ended.class);
      int[] running = snapshot.running().copy();
      assertThat(running).doesNotContain(ended);
      assertThat(snapshot.xmax()).isGreaterThan(ended);
      assertThat(Arrays.stream(running).allMatch(g -> g == open)).isTrue();
      number += 5;
    }
  }

  @Test
  void aMemberWithAnEmptiedFolderComesBack() throws Exception {
    LinkClient link = attached(true);
    link.commands(SESSION, 0, 1, begin());
    int gxid = gxid(link.reply());
    String lost = nodes.follower();
    nodes.kill(lost);
    try (Stream<Path> files = Files.walk(nodes.data(lost))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    nodes.start(lost);
    TestGtm.await(
        "the member to catch up",
        () -> {
          NodeStatus leader = nodes.status(nodes.leader());
          return leader.members().size() == 3
              && leader.members().stream().allMatch(m -> m.voter() && m.lagEntries() == 0);
        });
    nodes.transfer(lost);
    LinkClient next = attached(false);
    next.commands(SESSION, 0, 1, begin());
    assertThat(gxid(next.reply())).isEqualTo(gxid);
  }

  @Test
  void membersAreAddedAndRemoved() throws Exception {
    String leader = nodes.leader();
    try (AdminClient admin = nodes.admin(leader)) {
      assertThat(admin.ask("add", "g 4").kind()).isEqualTo(AdminReplyKind.FAILED);
      assertThat(admin.ask("add", "g4").kind()).isEqualTo(AdminReplyKind.DONE);
      nodes.addNode("g4");
      nodes.start("g4");
      TestGtm.await("four members", () -> voters(leader) == 4);
      String gone = nodes.follower();
      asked(leader, "remove", gone);
      TestGtm.await("three members", () -> voters(leader) == 3);
      assertThat(admin.ask("remove", leader).text()).contains("transfer the leadership first");
      assertThat(admin.ask("dance", "").text()).contains("no request \"dance\"");
    }
  }

  /** Asks until it is done: another change may be under way. */
  private void asked(String node, String verb, String argument) {
    TestGtm.await(
        verb + " " + argument,
        () -> {
          try (AdminClient admin = nodes.admin(node)) {
            return admin.ask(verb, argument).kind() == AdminReplyKind.DONE;
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
  }

  private long voters(String leader) {
    return nodes.status(leader).members().stream().filter(m -> m.voter()).count();
  }

  @Test
  void aBackupHoldsWhatWasAcknowledged() throws Exception {
    LinkClient link = attached(true);
    link.commands(SESSION, 0, 1, new SequenceCommand.Init(KEY, 1, 1, 1_000, 1, false), begin());
    link.reply();
    link.reply();
    try (AdminClient admin = nodes.admin(nodes.leader())) {
      AdminClient.Answer answer = admin.ask("backup", "");
      assertThat(answer.kind()).isEqualTo(AdminReplyKind.DONE);
      BackupFile backup = BackupFile.decode(answer.bytes());
      assertThat(backup.index()).isPositive();
      GtmStateMachine machine = new GtmStateMachine(io.mgtm.gtm.state.GtmState.empty());
      machine.restore(java.nio.ByteBuffer.wrap(backup.state()));
      assertThat(machine.state().counts().sequences()).isEqualTo(1);
      assertThat(machine.state().counts().transactions()).isEqualTo(1);
    }
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
    LinkClient link = attached(true);
    link.commands(
        SESSION,
        0,
        1,
        new SequenceCommand.Init(KEY, 1, 1, 100_000, 1, false),
        new SequenceCommand.NextValue(KEY),
        begin());
    link.reply();
    link.reply();
    int gxid = gxid(link.reply());
    link.commands(
        SESSION, 0, 4, new TransactionCommand.StartPrepare(TransactionRef.gxid(gxid), "T1", "d1"));
    link.reply();
    BackupFile backup;
    try (AdminClient admin = nodes.admin(nodes.follower())) {
      assertThat(admin.ask("backup", "").kind()).isEqualTo(AdminReplyKind.REDIRECT);
    }
    try (AdminClient admin = nodes.admin(nodes.leader())) {
      backup = BackupFile.decode(admin.ask("backup", "").bytes());
    }
    try (TestNodes restored = TestNodes.three(folder.resolve("restored"))) {
      for (String name : List.of("g1", "g2", "g3")) {
        Restore.place(restored.data(name), backup);
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
        TestGtm.await("the backup's file to go", () -> !Files.exists(waiting));
      }
    }
  }
}
