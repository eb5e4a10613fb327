package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.AllowList;
import io.mgtm.group.Durability;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.GroupMode;
import io.mgtm.group.core.Configured;
import io.mgtm.group.core.CoreSettings;
import io.mgtm.group.net.JGroupsSettings;
import io.mgtm.group.storage.DiskFiles;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** Members of one group in this JVM, on loopback. */
final class TestGroup implements AutoCloseable {
  static final List<String> THREE = List.of("g1", "g2", "g3");

  private static final long WAIT_NANOS = Await.PATIENCE.toNanos();
  private static final long AGREEMENT_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final GroupMode mode;
  private final Path folder;
  private final Map<String, InetSocketAddress> addresses = new TreeMap<>();
  final Map<String, TestMember> members = new ConcurrentSkipListMap<>();
  private final List<String> founders;
  private final Optional<JGroupsSettings.Tls> tls;
  private boolean cuttable;
  private int segmentBytes = 1 << 16;

  TestGroup(GroupMode mode, Path folder, List<String> founders, Optional<JGroupsSettings.Tls> tls) {
    this.mode = mode;
    this.folder = folder;
    this.founders = founders;
    this.tls = tls;
    List<InetSocketAddress> free = OwnAddress.addresses(4);
    for (int i = 0; i < free.size(); i++) {
      addresses.put("g" + (i + 1), free.get(i));
    }
  }

  /** Three members, which run. */
  static TestGroup three(GroupMode mode, Path folder) {
    TestGroup group = new TestGroup(mode, folder, THREE, Optional.empty());
    THREE.forEach(group::start);
    return group;
  }

  TestMember start(String name) {
    return start(name, "");
  }

  /** Starts a member; another suffix is another folder. */
  TestMember start(String name, String suffix) {
    return start(name, suffix, tls);
  }

  TestMember start(String name, String suffix, Optional<JGroupsSettings.Tls> keys) {
    TestMember member = open(mode, name, suffix, name, keys);
    members.put(name, member);
    return member;
  }

  /** A process that is none of the members to come to an agreement with; the caller closes it. */
  TestMember stranger(GroupMode itsMode, String name, String place) {
    return open(itsMode, name, "-stranger", place, tls);
  }

  private TestMember open(
      GroupMode itsMode,
      String name,
      String suffix,
      String place,
      Optional<JGroupsSettings.Tls> keys) {
    List<String> names = new ArrayList<>(founders);
    if (!names.contains(name)) {
      names.add(name);
    }
    GroupSettings settings =
        new GroupSettings(
            name,
            new Configured(names, ""),
            DurabilityMode.CRITICAL,
            new LogSettings(segmentBytes, 1, 4, 2_000, 500),
            CoreSettings.defaults(),
            1 << 17,
            1 << 14,
            10);
    JGroupsSettings network =
        new JGroupsSettings(
            "test",
            addresses.get(place),
            List.copyOf(addresses.values()),
            JGroupsSettings.SUSPECT_MS,
            keys,
            Optional.empty(),
            cuttable ? Optional.of(stackWithCut(name)) : Optional.empty(),
            new AllowList(List.of()),
            Optional.empty());
    return new TestMember(itsMode, folder.resolve(name + suffix), settings, network);
  }

  /** Members that are started from now on can be cut off by {@link Cut}. */
  TestGroup cuttable() {
    cuttable = true;
    return this;
  }

  /** Members that are started from now on have log files of that size. */
  TestGroup withSegments(int bytes) {
    segmentBytes = bytes;
    return this;
  }

  boolean holdsItsFirstSegment(String name) {
    return Files.exists(folder.resolve(name).resolve("log-%019d.seg".formatted(1)));
  }

  /** The names of the files of each member's log and checkpoints. */
  Map<String, List<String>> logFiles() {
    Map<String, List<String>> names = new TreeMap<>();
    for (String member : members.keySet()) {
      names.put(member, new DiskFiles(folder.resolve(member)).list().stream().sorted().toList());
    }
    return names;
  }

  boolean haveAll(String word) {
    return members.values().stream().allMatch(member -> member.local().contains(word));
  }

  /** Waits until the leader counts as many voters. */
  void awaitVoters(int count) {
    Await.until(
        count + " voters",
        () ->
            awaitLeader().status().members().stream().filter(GroupStatus.Member::voter).count()
                == count);
  }

  /** Asks whoever leads to add or to remove a member until it is listed, or not. */
  void awaitMember(String name, boolean listed) {
    Await.until(
        name + (listed ? " listed" : " not listed"),
        () -> {
          TestMember leader = awaitLeader();
          leader.onOwner(
              () -> listed ? leader.log().admin().add(name) : leader.log().admin().remove(name));
          return listed == leader.status().members().stream().anyMatch(m -> m.name().equals(name));
        });
  }

  private Path stackWithCut(String name) {
    String hosts =
        addresses.values().stream()
            .map(host -> "%s[%d]".formatted(OwnAddress.HOST, host.getPort()))
            .collect(Collectors.joining(","));
    String stack =
        """
        <config xmlns="urn:org:jgroups">
          <TCP bind_addr="%s" bind_port="%d" port_range="0"/>
          <%s/>
          <TCPPING initial_hosts="%s" port_range="0"/>
          <MERGE3 min_interval="300" max_interval="1000" check_interval="1500"/>
          <FD_ALL3 timeout="1500" interval="300"/>
          <io.mgtm.group.net.GroupVerify timeout="150"/>
          <NAKACK4 xmit_interval="100"/>
          <UNICAST4 xmit_interval="100"/>
          <pbcast.GMS join_timeout="500" max_join_attempts="2" leave_timeout="500"
              view_ack_collection_timeout="500" print_local_addr="false"/>
          <FRAG4 frag_size="60000"/>
        </config>
        """
            .formatted(OwnAddress.HOST, addresses.get(name).getPort(), Cut.class.getName(), hosts);
    try {
      return Files.writeString(folder.resolve(name + ".xml"), stack);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  TestMember awaitLeader() {
    AtomicReference<List<TestMember>> found = new AtomicReference<>();
    Await.until(
        "a leader",
        () -> {
          found.set(leaders());
          return found.get().size() == 1;
        });
    return found.get().get(0);
  }

  List<TestMember> leaders() {
    return members.values().stream().filter(TestMember::isLeading).toList();
  }

  /** What is asked of a leader. */
  interface AtLeader<T> {
    T ask(TestMember leader) throws Exception;
  }

  /**
   * Asks whoever leads, and asks anew, maybe another, when the leader did not answer or was deposed
   * meanwhile: a busy machine deposes leaders. What a leader does wrong that stays is an error.
   */
  <T> T atLeader(String what, AtLeader<T> asked) throws Exception {
    long deadline = System.nanoTime() + WAIT_NANOS;
    while (true) {
      TestMember leader = awaitLeader();
      long term = leader.ledTerm();
      try {
        return asked.ask(leader);
      } catch (ExecutionException | TimeoutException e) {
        if (System.nanoTime() - deadline > 0) {
          throw new AssertionError("asked in vain for " + what, e);
        }
      } catch (AssertionError e) {
        boolean deposed = !leader.isLeading() || leader.ledTerm() != term;
        if (!deposed || System.nanoTime() - deadline > 0) {
          throw e;
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  /** Adds a word through whoever leads; it may be added twice when leaders change. */
  void add(String word) throws Exception {
    atLeader(
        "word " + word, leader -> leader.add(word, Durability.REQUIRED).get(3, TimeUnit.SECONDS));
  }

  /** Reads all words at whoever leads. */
  List<String> read() throws Exception {
    return atLeader("a read", leader -> leader.read().get(3, TimeUnit.SECONDS));
  }

  /** Waits until all members have what the leader reads; more words may come after a read. */
  void awaitAgreement() throws Exception {
    long deadline = System.nanoTime() + WAIT_NANOS;
    List<String> words = read();
    while (!comesTrue(AGREEMENT_NANOS, allHave(words))) {
      assertThat(System.nanoTime()).as("time to agree").isLessThan(deadline);
      words = read();
    }
  }

  private BooleanSupplier allHave(List<String> words) {
    return () -> members.values().stream().allMatch(member -> member.local().equals(words));
  }

  /** The member dies; the others see its connections break. */
  void kill(String name) {
    members.remove(name).kill();
  }

  void stop(String name) {
    members.remove(name).close();
  }

  String nameOf(TestMember member) {
    return member.status().name();
  }

  private static boolean comesTrue(long withinNanos, BooleanSupplier condition) {
    long deadline = System.nanoTime() + withinNanos;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
    return true;
  }

  @Override
  public void close() {
    members.values().forEach(TestMember::close);
  }

  /** Another member than the leader. */
  TestMember other() {
    return otherThan(awaitLeader());
  }

  TestMember otherThan(TestMember leader) {
    return members.values().stream().filter(m -> !m.equals(leader)).findFirst().get();
  }

  /** Adds so many words of a hundred bytes, and waits until they are committed. */
  void fill(int words) throws Exception {
    TestMember leader = awaitLeader();
    for (int i = 0; i < words; i++) {
      leader.add("x".repeat(100) + i, Durability.BUFFERED);
    }
    add("filled");
  }
}
