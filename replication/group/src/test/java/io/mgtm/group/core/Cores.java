package io.mgtm.group.core;

import io.mgtm.group.Durability;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.LogException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Cores of members in one thread and in virtual time, for schedules that are written down step by
 * step. Messages arrive at once, in order, unless a link is cut.
 */
final class Cores {
  static final int STEP_MS = 10;
  private static final long PATIENCE_MS = 60_000;

  private record Sent(Node from, String to, Message message, long dueMs) {}

  private final Map<String, Node> nodes = new TreeMap<>();
  private final Set<String> cut = new HashSet<>();
  private final Deque<Sent> wire = new ArrayDeque<>();
  private final Map<String, Long> delaysMs = new HashMap<>();
  private final List<String> configured;
  private final Agreement agreement;
  private final Map<String, Predicate<Message>> unclean = new HashMap<>();
  private long nowMs;
  private long folders;

  /** The configured name of the witness, empty for none. */
  String witness = "";

  /** Of members that are started from now on. */
  CoreSettings settings = CoreSettings.defaults();

  /** Planted: so much earlier a process believes to have been started. */
  long startedEarlierMs;

  Cores(String... names) {
    this(Agreement.MAJORITY, names);
  }

  Cores(Agreement agreement, String... names) {
    this.agreement = agreement;
    configured = List.of(names);
  }

  /** A member, its folder, and the process that uses it now. */
  final class Node implements Effects {
    final MemberId self;
    final List<String> warned = new ArrayList<>();
    final CoreLog log;

    /** What it is started with. */
    List<String> configuredHere;

    String witnessHere = witness;

    /** What its folder would begin a group with. */
    private String beginningHere = "";

    TermRecord record = TermRecord.fresh();
    GroupCore core;
    String failure;

    /** How often it was told that replies are to be tried again. */
    int confirmed;

    /** There is no room to store such a record. */
    Predicate<TermRecord> cannotSave = changed -> false;

    /** Whether it was told that entries may be missing when it began to lead. */
    boolean missing;

    Node(String name, List<String> configuredHere) {
      this.configuredHere = configuredHere;
      folders++;
      self = new MemberId(name, new UUID(folders, folders));
      log = name.equals(witnessHere) ? new WitnessMemoryLog() : new MemoryLog();
    }

    private void run() {
      MembershipHistory members = new MembershipHistory(0, record.initial());
      if (log instanceof WitnessMemoryLog stored && !stored.isNew()) {
        members.reset(log.lastIndex(), stored.position().membership());
      }
      for (long index = log.baseIndex() + 1; index <= log.lastIndex(); index++) {
        Membership membership = log.read(index, 1).get(0).membership();
        if (membership != null) {
          members.appended(index, membership);
        }
      }
      core =
          new GroupCore(
              new GroupCore.Start(
                  settings,
                  agreement,
                  self,
                  new Configured(configuredHere, witnessHere, beginningHere),
                  DurabilityMode.CRITICAL,
                  log,
                  this,
                  members,
                  record,
                  self.folder().getMostSignificantBits() * 31 + record.incarnation()),
              nowMs - startedEarlierMs);
    }

    boolean isLeading() {
      return core != null && core.isServing();
    }

    long confirm() {
      return core.confirm(nowMs);
    }

    /** More of its log is on disk. */
    void synced() {
      core.synced(nowMs);
      deliver();
    }

    /** Appends a command, and says whether it is committed when all is quiet again. */
    void append(int value) {
      core.append(ByteBuffer.wrap(new byte[] {(byte) value}), Durability.BUFFERED);
      core.flush(nowMs);
    }

    @Override
    public void send(List<String> to, Message message) {
      for (String name : to) {
        long delayMs = delaysMs.getOrDefault(self.name() + '>' + name, 0L);
        wire.add(new Sent(this, name, message, nowMs + delayMs));
      }
    }

    @Override
    public void save(TermRecord changed) {
      if (cannotSave.test(changed)) {
        throw new LogException(LogException.Category.NO_SPACE, "the disk is full");
      }
      record = changed;
    }

    @Override
    public void leaderChanged(MemberId leader, long term) {}

    @Override
    public void leading(long term, boolean entriesMayBeMissing) {
      missing = entriesMayBeMissing;
    }

    @Override
    public void committed(long index) {}

    @Override
    public void confirmed(long readIndex) {
      confirmed++;
    }

    @Override
    public void warned(String sentence) {
      warned.add(sentence);
    }

    @Override
    public void failed(String reason) {
      failure = reason;
    }
  }

  /** Starts members on new folders, where they had others too. */
  void startEmpty(String... names) {
    for (String name : names) {
      startEmpty(name, configured);
    }
  }

  void startEmpty(String name, List<String> configuredHere) {
    nodes.put(name, new Node(name, configuredHere));
    nodes.get(name).run();
  }

  /** Starts a member on a new folder that holds something to begin a group with. */
  void startWith(String name, String beginning) {
    Node node = new Node(name, configured);
    node.beginningHere = beginning;
    nodes.put(name, node);
    node.run();
  }

  /** Starts a member on a folder of another group. */
  Node startOfAnotherGroup(String name) {
    Node stranger = new Node(name, configured);
    stranger.record =
        stranger.record.withFounding(Membership.ofVoters(List.of(stranger.self)).founding());
    restart(stranger);
    return stranger;
  }

  /** Starts a member again on the folder that it has. */
  void restart(String name) {
    restart(nodes.get(name));
  }

  /** Starts a process again on its folder, in the place of who has its name now. */
  void restart(Node node) {
    nodes.put(node.self.name(), node);
    node.record = node.record.started(false);
    node.run();
  }

  static boolean hasEntries(Message message) {
    return message instanceof Message.Append m && !m.entries().isEmpty();
  }

  /** Starts a member again that may have lost what it had not synced. */
  void restartAfterPowerCut(String name) {
    Node node = nodes.get(name);
    node.record = node.record.started(true);
    node.run();
  }

  void crash(String name) {
    nodes.get(name).core = null;
  }

  /** A member dies, and the others' views have another process of its name at once, new. */
  void replace(String name) {
    startEmpty(name);
    for (Node node : nodes.values()) {
      if (!node.self.name().equals(name)) {
        node.core.peerDown(nowMs, name);
        node.core.peerUp(nowMs, name);
      }
    }
  }

  Node node(String name) {
    return nodes.get(name);
  }

  /** Nothing goes between a member and others, in either direction. */
  void cut(String one, String... others) {
    for (String other : others) {
      cut.add(one + '>' + other);
      cut.add(other + '>' + one);
    }
  }

  /** Such messages are lost from one to another. */
  void lose(String from, String to, Predicate<Message> which) {
    unclean.put(from + '>' + to, which);
  }

  /** Nothing goes in one direction. */
  void cutOneWay(String from, String to) {
    cut.add(from + '>' + to);
  }

  /** Messages in one direction take so long from now on, and stay in their order. */
  void delay(String from, String to, long ms) {
    delaysMs.put(from + '>' + to, ms);
  }

  void heal() {
    cut.clear();
    unclean.clear();
  }

  void run(long ms) {
    for (long untilMs = nowMs + ms; nowMs < untilMs; ) {
      step();
    }
  }

  void standStill(long ms) {
    nowMs += ms;
  }

  /** Runs until a condition holds; it fails after a minute of the cores' time. */
  void await(String what, BooleanSupplier condition) {
    long untilMs = nowMs + PATIENCE_MS;
    while (!condition.getAsBoolean()) {
      if (nowMs >= untilMs) {
        throw new AssertionError("never: " + what + "; " + describe());
      }
      step();
    }
  }

  /** Waits for a leader that serves among all, which is returned. */
  Node awaitLeader() {
    await("a leader", () -> nodes.values().stream().anyMatch(Node::isLeading));
    return nodes.values().stream().filter(Node::isLeading).findFirst().orElseThrow();
  }

  /** Who would answer a client now, a read too, without asking anybody. */
  List<Node> answering() {
    return leaders().stream().filter(node -> node.core.mayAnswer(nowMs)).toList();
  }

  /** Who would answer a read now that has been done, without asking anybody. */
  List<Node> reading() {
    return leaders().stream()
        .filter(node -> node.confirm() <= node.core.confirmedReadIndex())
        .toList();
  }

  /** One's view says that another has gone. */
  void showGone(String to, String gone) {
    node(to).core.peerDown(nowMs, gone);
    deliver();
  }

  /** One sees that another's connection has ended. */
  void showBroken(String to, String other) {
    node(to).core.connectionBroken(nowMs, other);
    deliver();
  }

  /** One's view says that another is there again. */
  void showBack(String to, String back) {
    node(to).core.peerUp(nowMs, back);
    deliver();
  }

  /** Asks a leader to hand over; the answer is why not. */
  Optional<String> transfer(Node from, String to) {
    return from.core.transfer(nowMs, to);
  }

  List<Node> leaders() {
    return nodes.values().stream().filter(Node::isLeading).toList();
  }

  private void step() {
    nowMs += STEP_MS;
    for (Node node : List.copyOf(nodes.values())) {
      if (node.core != null) {
        node.core.tick(nowMs);
        deliver();
      }
    }
  }

  /** Lets all arrive that is due now, and what is answered to it. */
  void deliver() {
    for (Sent sent = nextDue(); sent != null; sent = nextDue()) {
      Node to = nodes.get(sent.to());
      String link = sent.from().self.name() + '>' + sent.to();
      boolean arrives =
          !cut.contains(link) && !unclean.getOrDefault(link, m -> false).test(sent.message());
      if (to != null && to.core != null && arrives) {
        receive(to, sent);
      }
    }
  }

  /** A full disk is no reason to stop. */
  private void receive(Node to, Sent sent) {
    try {
      to.core.receive(nowMs, sent.from().self, sent.message());
    } catch (LogException e) {
      if (e.category() != LogException.Category.NO_SPACE) {
        throw e;
      }
    }
  }

  private Sent nextDue() {
    Sent due = wire.stream().filter(sent -> sent.dueMs() <= nowMs).findFirst().orElse(null);
    wire.remove(due);
    return due;
  }

  String describe() {
    StringBuilder text = new StringBuilder();
    for (Node node : nodes.values()) {
      text.append(node.self).append(' ').append(node.record);
      if (node.core != null) {
        text.append(' ').append(node.core.role()).append(' ').append(node.core.membership());
      }
      text.append("; ");
    }
    return text.toString();
  }
}
