package io.mgtm.group.raft;

import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.StateMachine;
import io.mgtm.group.core.Role;
import io.mgtm.group.core.Standing;
import io.mgtm.group.member.GroupSettings;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.member.ManagedLog;
import io.mgtm.group.net.JGroupsSettings;
import io.mgtm.group.storage.DataDirectory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jgroups.Address;
import org.jgroups.protocols.raft.Leader;
import org.jgroups.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of one member of a group in mode {@code raft}: jgroups-raft elects the leader, orders and
 * replicates; {@link GroupRaft} says what is mended in it.
 *
 * <p>Promise: as long as a majority of the members is up and connected, the group serves; whatever
 * members crash or lose power, all at once too, and however the network is cut, no acknowledged
 * entry is lost and reads are linearizable. Every entry is forced on a majority before its reply
 * leaves, whatever durability it asks for.
 *
 * <p>Not promised: a planned transfer of the leadership, which jgroups-raft does not have; an
 * election as soon as a majority is connected when a member among it has an empty folder, for such
 * a one votes only after it has caught up; anything after several changes of the membership that
 * were made while members did not hear of the one before, as jgroups-raft takes a new membership
 * into account when it is committed.
 *
 * <p>The leader applies first, then appends. Its entries carry their number and its leadership, and
 * count by {@link RaftReplica}'s rule only; so the indexes that are seen here are those of
 * commands, without gaps. All methods are called by the owner thread unless they say otherwise. The
 * owner executor must run one task after the other, never inside {@code execute}.
 */
public final class RaftLog implements ManagedLog {
  private static final Logger log = LoggerFactory.getLogger(RaftLog.class);
  private static final long BEHIND_MS = 100;
  private static final long VOTE_MS = 400;
  private static final long PUSH_MS = 2_000;

  private enum Rebuild {
    NONE,
    /** The state holds what is not committed; all that is told is ignored until a checkpoint. */
    ASKED,
    /** The checkpoint has come, entries follow. */
    RUNNING
  }

  private final GroupSettings settings;
  private final Executor owner;
  private final Listener listener;
  private final DataDirectory folder;
  private final RaftThreads threads;
  private final RaftDisk disk;
  private final RaftReplica replica;
  private final RaftCheckpoints checkpoints;
  private final GroupRaft raft;
  private final GroupElection election;
  private final RaftChannel channel;
  private final SecureRandom random = new SecureRandom();
  private final AtomicBoolean lookAsked = new AtomicBoolean();
  private final Set<Address> welcomed = new HashSet<>();

  /** Null while this member does not lead by jgroups-raft's word. */
  private RaftLeadership leadership;

  private Rebuild rebuild = Rebuild.NONE;
  private boolean roundAsked;
  private boolean toldFollowing;
  private String toldLeader;
  private long toldCommitted;
  private long toldConfirmed;
  private long membersChangedAt;
  private long behindLookMs;
  private long leaderSeenMs;
  private volatile boolean closed;
  private volatile LogException failure;

  /**
   * Opens the member's folder, or begins one, and joins the group. Called by the owner thread, or
   * before it runs.
   *
   * @throws LogException as {@link DataDirectory#open} and the stores throw, with ACCESS when the
   *     own address cannot be used, with FORMAT when another mode wrote the folder
   */
  public static RaftLog open(
      Path path,
      GroupSettings settings,
      JGroupsSettings network,
      StateMachine machine,
      Executor owner,
      Listener listener) {
    DataDirectory folder = DataDirectory.open(path);
    RaftThreads threads = RaftThreads.start(settings.name());
    RaftLog opened = null;
    try {
      opened = new RaftLog(folder, settings, network, machine, owner, listener, threads);
      opened.begin(network);
      return opened;
    } catch (RuntimeException | Error e) {
      try (folder) {
        if (opened != null) {
          opened.closed = true;
          opened.channel.close();
        }
        threads.stop();
      } catch (RuntimeException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  private RaftLog(
      DataDirectory folder,
      GroupSettings settings,
      JGroupsSettings network,
      StateMachine machine,
      Executor owner,
      Listener listener,
      RaftThreads threads) {
    this.folder = folder;
    this.settings = settings;
    this.owner = owner;
    this.listener = listener;
    this.threads = threads;
    disk = new RaftDisk(folder, settings.segments(), threads.files());
    replica = new RaftReplica(machine, settings.members());
    disk.newestCheckpoint().ifPresent(replica::restore);
    checkpoints = new RaftCheckpoints(disk, replica, threads.files(), settings.checkpointBytes());
    raft =
        new GroupRaft(
            disk,
            new RaftTold(new Hearer(), this::execute, e -> execute(() -> fail(e)), () -> closed));
    raft.raftId(settings.name()).members(settings.members());
    raft.addRoleListener(role -> askLook());
    election = new GroupElection(this::mayVote, e -> execute(() -> fail(e)));
    election.voteTimeout(VOTE_MS);
    channel =
        RaftChannel.open(settings.name(), network, election, raft, disk::isSettled, this::askLook);
    log.info(
        "Member {}: mode raft, term {}, entries to {}, {}",
        settings.name(),
        disk.currentTerm(),
        disk.lastAppended(),
        disk.isSettled() ? "may vote" : "new");
  }

  private void begin(JGroupsSettings network) {
    leaderSeenMs = nowMs();
    channel.connect(network);
    threads
        .clock()
        .scheduleWithFixedDelay(
            this::askLook, settings.tickMs(), settings.tickMs(), TimeUnit.MILLISECONDS);
  }

  private static long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** JGroups' threads. A folder that was emptied has forgotten what it acknowledged. */
  private boolean mayVote() {
    if (!disk.isSettled() && channel.isFirstMeeting(settings.members())) {
      settle("meets all others for the first time");
    }
    return disk.isSettled();
  }

  private void settle(String why) {
    disk.settle();
    log.info("Member {} {}, and may vote", settings.name(), why);
    channel.say();
  }

  private void execute(Runnable task) {
    try {
      owner.execute(
          () -> {
            if (!closed && failure == null) {
              guarded(task);
            }
          });
    } catch (RejectedExecutionException e) {
      log.debug("The thread that owns the log has stopped", e);
    }
  }

  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (LogException e) {
      fail(e);
    } catch (RuntimeException e) {
      fail(
          new LogException(
              Category.IO, "Member " + settings.name() + " met a broken invariant: " + e, e));
    }
  }

  private void fail(LogException cause) {
    if (failure == null) {
      failure = cause;
      leadership = null;
      log.error("Member {} stops: {}", settings.name(), cause.getMessage(), cause);
      listener.following(null);
      listener.failed(cause);
    }
  }

  /** Any thread. */
  private void askLook() {
    if (!lookAsked.getAndSet(true)) {
      execute(this::look);
    }
  }

  /** Compares what jgroups-raft says with what was made of it. */
  private void look() {
    lookAsked.getAndSet(false);
    Address leader = raft.leader();
    long term = raft.currentTerm();
    boolean leads = raft.isLeader() && raft.impl() instanceof Leader;
    if (leadership != null && (!leads || term != leadership.term())) {
      depose();
    }
    if (leadership == null && leads && rebuild == Rebuild.NONE) {
      lead(term);
    }
    if (!leads && rebuild == Rebuild.NONE) {
      tellFollowing(leader == null ? null : RaftChannel.nameOf(leader));
    }
    tick(leader != null);
  }

  private void tick(boolean isThereALeader) {
    long now = nowMs();
    if (isThereALeader) {
      leaderSeenMs = now;
    } else if (now - leaderSeenMs >= PUSH_MS) {
      leaderSeenMs = now;
      threads.files().execute(election::pushOn);
    }
    if (leadership != null && now - behindLookMs >= BEHIND_MS) {
      behindLookMs = now;
      raft.execute(raft::sendToThoseBehind);
      welcomeNewFolders();
    }
    if (rebuild == Rebuild.NONE) {
      checkpoints.tick(now);
    }
  }

  private void welcomeNewFolders() {
    if (!leadership.isServing()) {
      return;
    }
    for (Address address : channel.unsettled()) {
      if (welcomed.add(address)) {
        UUID id = (UUID) address;
        submit(RaftEntry.welcome(id.getMostSignificantBits(), id.getLeastSignificantBits()));
      }
    }
  }

  private void lead(long term) {
    leadership = new RaftLeadership(random.nextLong(), term);
    welcomed.clear();
    toldFollowing = false;
    submit(RaftEntry.termStart(leadership.id(), term, settings.name()));
  }

  private void submit(RaftEntry entry) {
    RaftLeadership of = leadership;
    raft.submit(
        entry,
        lost -> {
          if (lost != null) {
            execute(() -> lost(of));
          }
        });
  }

  /** What was handed over does not stand in the log, and what comes after it is void. */
  private void lost(RaftLeadership of) {
    look();
    if (leadership == of) {
      throw new LogException(
          Category.IO,
          "The leader's entries were refused, so what it has applied cannot be committed; start it again");
    }
  }

  private void depose() {
    log.info("Member {} leads no longer", settings.name());
    leadership = null;
    checkpoints.restored();
    if (replica.isAhead()) {
      rebuild = Rebuild.ASKED;
      threads.files().execute(this::askRebuild);
    } else {
      tellFollowing(null);
    }
  }

  /** Files thread. */
  private void askRebuild() {
    while (!closed
        && !raft.execute(
            () -> {
              raft.tellAgain(replica.initial());
              execute(this::rebuilt);
            })) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private void rebuilt() {
    rebuild = Rebuild.NONE;
    tellFollowing(null);
    askLook();
  }

  private void tellFollowing(String leader) {
    if (!toldFollowing || !Objects.equals(leader, toldLeader)) {
      toldFollowing = true;
      toldLeader = leader;
      log.info("Member {}: leader {}", settings.name(), leader == null ? "unknown" : leader);
      listener.following(leader);
    }
  }

  private final class Hearer implements RaftTold.Hearer {
    @Override
    public void committed(long index, ByteBuffer bytes) {
      if (rebuild == Rebuild.ASKED) {
        return;
      }
      RaftEntry entry = RaftEntry.decode(bytes);
      boolean own = leadership != null && entry.leadership() == leadership.id();
      if (entry.kind() == RaftEntry.Kind.TERM_START && leadership != null && !own) {
        replicaOvertaken(index, entry);
      } else if (replica.committed(index, entry)) {
        counted(entry, own);
      }
    }

    /** Another leader's term has begun before this member has heard that it lost its own. */
    private void replicaOvertaken(long index, RaftEntry entry) {
      // A lower term's start is one of before, which a leader hears when it begins.
      if (entry.number() > leadership.term()) {
        depose();
      }
      if (rebuild == Rebuild.NONE) {
        replica.committed(index, entry);
      }
    }

    private void counted(RaftEntry entry, boolean own) {
      switch (entry.kind()) {
        case COMMAND -> {
          if (own) {
            leadership.committed(entry.number());
          }
          checkpoints.committed();
        }
        case TERM_START -> {
          if (own) {
            serve();
          }
        }
        case ROUND -> {
          if (own) {
            leadership.confirmedTo(entry.number());
          }
        }
        case WELCOME -> welcomed(entry);
      }
    }

    @Override
    public void membersChanged(long index, List<String> members) {
      if (rebuild != Rebuild.ASKED) {
        membersChangedAt = index;
        replica.membersChanged(index, members);
      }
    }

    @Override
    public void restored(RaftCheckpoint checkpoint) {
      if (rebuild == Rebuild.ASKED) {
        rebuild = Rebuild.RUNNING;
      }
      checkpoints.restored();
      replica.restore(checkpoint);
    }

    @Override
    public void heard() {
      RaftLeadership now = leadership;
      if (now == null || !now.isServing()) {
        return;
      }
      if (replica.commands() > toldCommitted) {
        toldCommitted = replica.commands();
        listener.committed(toldCommitted);
      }
      if (leadership == now && now.confirmedTicket() > toldConfirmed) {
        toldConfirmed = now.confirmedTicket();
        listener.confirmed(toldConfirmed);
      }
    }
  }

  private void serve() {
    log.info("Member {} leads in term {}", settings.name(), leadership.term());
    leadership.serve();
    toldCommitted = replica.commands();
    toldConfirmed = 0;
    listener.leading(leadership.term(), false);
  }

  private void welcomed(RaftEntry entry) {
    UUID own = channel.address();
    if (entry.leadership() == own.getMostSignificantBits()
        && entry.number() == own.getLeastSignificantBits()
        && !disk.isSettled()) {
      settle("has everything that the group has");
    }
  }

  @Override
  public boolean isLeading() {
    return leadership != null && leadership.isServing() && failure == null;
  }

  @Override
  public boolean hasRoom(int bytes) {
    checkOpen();
    if (bytes > disk.payloadBytesMax()) {
      throw new IllegalArgumentException(
          "An entry of %d bytes does not fit the log; the largest has %d bytes, set larger segments"
              .formatted(bytes, disk.payloadBytesMax()));
    }
    return disk.hasRoom(bytes + RaftEntry.HEADER_BYTES, settings.segments().roomWaitMs());
  }

  @Override
  public String noRoomReason() {
    return disk.noRoomReason();
  }

  /**
   * {@inheritDoc}
   *
   * <p>The durability makes no difference: every entry is forced on a majority.
   *
   * @throws IllegalStateException when this member does not lead
   */
  @Override
  public long append(ByteBuffer payload, Durability durability) {
    checkOpen();
    if (!isLeading()) {
      throw new IllegalStateException("this member does not lead");
    }
    long number = replica.appliedByLeader();
    submit(RaftEntry.command(leadership.id(), number, payload));
    leadership.appended(number);
    return number;
  }

  @Override
  public long confirm() {
    checkOpen();
    if (!isLeading()) {
      throw new IllegalStateException("this member does not lead");
    }
    if (!roundAsked) {
      roundAsked = true;
      execute(this::round);
    }
    return leadership.confirm();
  }

  /** After the tasks that wait already, so that what they append confirms the reads. */
  private void round() {
    roundAsked = false;
    long ticket = isLeading() ? leadership.roundDue() : 0;
    if (ticket > 0) {
      submit(RaftEntry.round(leadership.id(), ticket));
    }
  }

  @Override
  public long confirmedTicket() {
    return isLeading() ? leadership.confirmedTicket() : 0;
  }

  @Override
  public long committedIndex() {
    return replica.commands();
  }

  @Override
  public long lastIndex() {
    return replica.applied();
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the log is closed");
    }
    if (failure != null) {
      throw new LogException(failure.category(), failure.getMessage(), failure);
    }
  }

  @Override
  public Optional<String> transfer(String name) {
    checkOpen();
    return Optional.of(
        "Mode raft cannot hand the leadership to a chosen member: jgroups-raft has no means for it;"
            + " stop the leader, and the others elect one of them");
  }

  @Override
  public Optional<String> add(String name) {
    return change(
        name,
        replica.members().contains(name)
            ? name + " is a member already"
            : channel.connected().contains(name)
                ? null
                : name + " is not connected; start it first",
        true);
  }

  @Override
  public Optional<String> remove(String name) {
    return change(name, replica.members().contains(name) ? null : name + " is not a member", false);
  }

  private Optional<String> change(String name, String objection, boolean joins) {
    checkOpen();
    if (!isLeading()) {
      return Optional.of("this member does not lead");
    }
    if (objection != null) {
      return Optional.of(objection);
    }
    List<Address> behind = raft.behindCommitOf(membersChangedAt);
    if (!behind.isEmpty()) {
      return Optional.of(
          "not all connected members know of the change before this one yet; try again");
    }
    try {
      var change = joins ? raft.addServer(name) : raft.removeServer(name);
      change.whenComplete(
          (ignored, lost) -> {
            if (lost != null) {
              log.warn(
                  "The change of the membership by {} did not happen: {}", name, lost.toString());
            }
          });
      return Optional.empty();
    } catch (Exception e) {
      return Optional.of("the membership cannot be changed now: " + e.getMessage());
    }
  }

  /** Nothing is acknowledged that is not forced on a majority, so there is nothing to accept. */
  @Override
  public void acceptLoss() {
    log.warn("Mode raft does not go on without a majority of its members, and forces everything");
  }

  @Override
  public GroupStatus status() {
    Map<Address, Long> matched = raft.matchedByMember();
    List<String> voters = replica.members().stream().sorted().toList();
    List<GroupStatus.Member> members = new ArrayList<>();
    for (String voter : voters) {
      members.add(new GroupStatus.Member(voter, true, matchedOf(voter, matched)));
    }
    for (String other : channel.connected()) {
      if (!voters.contains(other)) {
        members.add(new GroupStatus.Member(other, false, matchedOf(other, matched)));
      }
    }
    Address leader = raft.leader();
    String leaderName = leader == null ? "" : Objects.toString(RaftChannel.nameOf(leader), "");
    return new GroupStatus(
        settings.name(),
        leadership == null ? Role.FOLLOWER : Role.LEADER,
        isLeading(),
        false,
        raft.currentTerm(),
        leaderName,
        Standing.INTACT,
        disk.lastAppended(),
        raft.commitIndex(),
        replica.index(),
        members,
        channel.connected());
  }

  private long matchedOf(String name, Map<Address, Long> matched) {
    if (name.equals(settings.name())) {
      return disk.lastAppended();
    }
    return matched.entrySet().stream()
        .filter(entry -> name.equals(RaftChannel.nameOf(entry.getKey())))
        .mapToLong(Map.Entry::getValue)
        .max()
        .orElse(-1);
  }

  /**
   * Leaves the group's network, forces everything, marks the log as cleanly closed, and gives the
   * folder up. Called by the owner thread, or once that has ended.
   *
   * @throws LogException when the log could not be closed cleanly
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try (folder) {
      channel.close();
      threads.stop();
      if (failure == null) {
        disk.closeCleanly();
        log.info("Member {} closed its log cleanly", settings.name());
      }
    }
  }
}
