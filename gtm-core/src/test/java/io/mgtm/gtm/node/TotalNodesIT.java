package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.GroupMode;
import io.mgtm.gtm.client.AdminClient;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SequenceReply;
import io.mgtm.gtm.command.SnapshotReply;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.node.backup.BackupFile;
import io.mgtm.gtm.wire.link.AdminReplyKind;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A group in mode total: clients and gateways at all members at the same time. */
class TotalNodesIT {
  private static final long SESSION = 1L << 62;
  private static final List<String> NAMES = List.of("g1", "g2", "g3");
  private static final String KEY = "d.s\0";

  @TempDir private Path folder;
  private TestNodes nodes;
  private final List<LinkClient> links = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicLong done = new AtomicLong();
  private final Set<Integer> gxids = ConcurrentHashMap.newKeySet();
  private final Map<String, Set<Long>> values = new ConcurrentHashMap<>();

  @BeforeEach
  void start() throws IOException {
    nodes = TestNodes.three(folder, GroupMode.TOTAL).startAll();
    nodes.leader();
    nodes.awaitAllServe();
  }

  @AfterEach
  void close() {
    stop.set(true);
    threads.shutdownNow();
    links.forEach(LinkClient::close);
    nodes.close();
  }

  private LinkClient attached(String node, String gateway, long session, boolean fresh)
      throws IOException, InterruptedException {
    LinkClient link = nodes.link(node, gateway);
    links.add(link);
    link.attach(session, fresh);
    link.next(LinkClient.Event.Attached.class);
    return link;
  }

  private static Command begin(long session) {
    return new TransactionCommand.Begin(
        session, (short) 5, Isolation.READ_COMMITTED, false, BeginKind.GXID);
  }

  private static int gxid(Object reply) {
    return ((TransactionReply.Began) reply).gxid();
  }

  @Test
  void gatewaysAtAllMembersAreServedInOneOrder() throws Exception {
    int last = 0;
    List<LinkClient> gateways = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      gateways.add(attached(NAMES.get(i), "p" + i, SESSION + i, true));
    }
    long number = 0;
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 3; i++) {
        int gxid = begun(gateways, i, number);
        assertThat(gxid).as("each sees what was answered before").isGreaterThan(last);
        last = gxid;
        assertThat(gateways.get(i).leads()).isTrue();
      }
      number++;
    }
  }

  /** A member that hears nothing of the others, as its processor is taken, closes its links. */
  private int begun(List<LinkClient> gateways, int i, long number) throws Exception {
    while (true) {
      gateways.get(i).commands(SESSION + i, number, number + 1, begin(SESSION + i));
      LinkClient.Event event = gateways.get(i).nextButLeaderships();
      if (event instanceof LinkClient.Event.Replied replied) {
        return gxid(replied.reply());
      }
      assertThat(event).isInstanceOf(LinkClient.Event.Closed.class);
      Await.until("a gateway to be attached again", () -> attachAgain(gateways, i));
    }
  }

  private boolean attachAgain(List<LinkClient> gateways, int i) throws IOException {
    LinkClient link = nodes.link(NAMES.get(i), "p" + i);
    links.add(link);
    gateways.set(i, link);
    link.attach(SESSION + i, false);
    return link.attachedOrRefused();
  }

  @Test
  void queriesShowWhatAnyMemberHasAcknowledged() throws Exception {
    LinkClient one = attached("g1", "p1", SESSION, true);
    LinkClient two = attached("g2", "p2", SESSION + 1, true);
    one.commands(SESSION, 0, 1, new SequenceCommand.Init(KEY, 1, 1, 1_000, 1, false));
    one.reply();
    for (int i = 1; i <= 30; i++) {
      one.commands(SESSION, i, i + 1, new SequenceCommand.NextValue(KEY));
      assertThat(one.reply()).isEqualTo(new SequenceReply.Value(CommandType.NEXT_VALUE, KEY, i));
      two.commands(SESSION + 1, i - 1, i, new SequenceCommand.LastValue(KEY));
      assertThat(two.reply()).isEqualTo(new SequenceReply.Value(CommandType.LAST_VALUE, KEY, i));
    }
  }

  @Test
  void aGatewayWhoseMemberDiesGetsTheSameRepliesAtAnother() throws Exception {
    String sequencer = nodes.leader();
    for (String dies : List.of(nodes.follower(), sequencer)) {
      long session = SESSION + NAMES.indexOf(dies);
      LinkClient link = attached(dies, "p-" + dies, session, true);
      Command[] commands = {begin(session), begin(session), new TransactionCommand.GetNextGxid()};
      link.commands(session, 0, 1, commands);
      int first = gxid(link.reply());
      assertThat(gxid(link.reply())).isEqualTo(first + 1);
      link.reply();
      nodes.kill(dies);
      String other = NAMES.stream().filter(name -> nodes.server(name) != null).findFirst().get();
      LinkClient next = attached(other, "p-" + dies, session, false);
      next.commands(session, 0, 1, begin(session), begin(session), begin(session));
      assertThat(gxid(next.reply())).isEqualTo(first);
      assertThat(gxid(next.reply())).isEqualTo(first + 1);
      assertThat(gxid(next.reply())).isEqualTo(first + 2);
      nodes.start(dies);
      nodes.awaitAllServe();
    }
  }

  @Test
  void whatComesByALinkThatIsNotTheSessionsAnyMoreIsNotDone() throws Exception {
    LinkClient old = attached("g1", "p1", SESSION, true);
    old.commands(SESSION, 0, 1, begin(SESSION));
    int first = gxid(old.reply());
    LinkClient now = attached("g2", "p1", SESSION, false);
    old.commands(SESSION, 1, 2, begin(SESSION));
    assertThat(old.next(LinkClient.Event.Refused.class).code()).isEqualTo(RefusalCode.NOT_LEADING);
    now.commands(SESSION, 1, 2, begin(SESSION));
    assertThat(gxid(now.reply())).isEqualTo(first + 1);
  }

  @Test
  void aSessionLivesWhileItIsAttachedAtAnyMemberAndItsNameIsInUse() throws Exception {
    LinkClient link = attached("g1", "p1", SESSION, true);
    link.commands(SESSION, 0, 1, begin(SESSION));
    int first = gxid(link.reply());
    LinkClient second = nodes.link("g2", "p1");
    links.add(second);
    second.attach(SESSION + 1, true);
    assertThat(second.next(LinkClient.Event.Refused.class).code())
        .isEqualTo(RefusalCode.NAME_IN_USE);
    // Whoever makes the order knows of the link, though it is another member's.
    nodes.transfer("g2");
    nodes.transfer("g3");
    link.commands(SESSION, 1, 2, begin(SESSION));
    assertThat(gxid(link.reply())).isEqualTo(first + 1);
    link.close();
    Await.until(
        "the name to be free",
        () -> {
          try {
            second.attach(SESSION + 2, true);
            return second.attachedOrRefused();
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** What one client does until it is told to stop; any exception is a client's error. */
  private Void load(String node, int number) throws IOException {
    try (GtmClient client = GtmClient.connect(nodes.server(node).address())) {
      String key = GtmClient.sequenceKey("db.public.s" + number % 2);
      while (!stop.get()) {
        int gxid = client.begin();
        assertThat(gxids.add(gxid)).as("gxid %d came once", gxid).isTrue();
        SnapshotReply.Snapshot snapshot = client.snapshot(gxid);
        assertThat(snapshot.xmin()).isLessThanOrEqualTo(gxid);
        long value = client.nextValue(key);
        assertThat(values.computeIfAbsent(key, k -> ConcurrentHashMap.newKeySet()).add(value))
            .as("value %d of %s came once", value, key)
            .isTrue();
        assertThat(client.commit(gxid)).as("commit of %d", gxid).isTrue();
        done.incrementAndGet();
      }
    }
    return null;
  }

  private void awaitMore(int transactions) {
    long from = done.get();
    Await.until("more transactions", () -> done.get() >= from + transactions);
  }

  @Test
  void clientsOfTheOthersDoNotSeeAMemberDieAndAllStatesAreEqual() throws Exception {
    String stays = nodes.follower();
    try (GtmClient client = GtmClient.connect(nodes.server(stays).address())) {
      client.createSequence(GtmClient.sequenceKey("db.public.s0"));
      client.createSequence(GtmClient.sequenceKey("db.public.s1"));
    }
    List<Future<Void>> loads = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      int number = i;
      Callable<Void> load = () -> load(stays, number);
      loads.add(threads.submit(load));
    }
    awaitMore(100);
    for (int i = 0; i < 3; i++) {
      String dies =
          NAMES.stream()
              .filter(name -> !name.equals(stays))
              .filter(name -> nodes.status(name).role().equals("leader"))
              .findFirst()
              .orElse(NAMES.stream().filter(name -> !name.equals(stays)).findFirst().get());
      nodes.kill(dies);
      awaitMore(100);
      nodes.start(dies);
      awaitMore(100);
      nodes.awaitAllServe();
    }
    stop.set(true);
    for (Future<Void> load : loads) {
      load.get(180, TimeUnit.SECONDS);
    }
    Await.until("equal states", () -> states().size() == 1);
  }

  private Set<ByteBuffer> states() {
    Set<ByteBuffer> states = ConcurrentHashMap.newKeySet();
    for (String name : NAMES) {
      try (AdminClient admin = nodes.admin(name)) {
        AdminClient.Answer answer = admin.ask("backup", "");
        assertThat(answer.kind()).isEqualTo(AdminReplyKind.DONE);
        BackupFile backup = BackupFile.decode(answer.bytes());
        states.add(backup.state(0, backup.stateBytes()));
      } catch (IOException | BackupFile.BadBackupException e) {
        throw new IllegalStateException(e);
      }
    }
    return states;
  }

  @Test
  void sessionsAndTransactionsOutliveADeathOfAllNodes() throws Exception {
    LinkClient link = attached("g2", "p1", SESSION, true);
    link.commands(SESSION, 0, 1, begin(SESSION), begin(SESSION));
    int first = gxid(link.reply());
    link.reply();
    nodes.killAll();
    nodes.startAll();
    nodes.leader();
    nodes.awaitAllServe();
    LinkClient next = attached("g3", "p1", SESSION, false);
    next.commands(
        SESSION,
        0,
        1,
        begin(SESSION),
        begin(SESSION),
        new TransactionCommand.End(TransactionRef.gxid(first), Outcome.COMMIT));
    assertThat(gxid(next.reply())).isEqualTo(first);
    assertThat(gxid(next.reply())).isEqualTo(first + 1);
  }
}
