package io.mgtm.group.raft;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.ReplicatedLog;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.protocols.raft.Leader;
import org.jgroups.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a member makes of jgroups-raft's word: it follows, it begins to lead, it serves, it is
 * deposed and builds its state anew. Owner thread, but for {@link #settle}.
 */
final class RaftTurns implements RaftTold.Hearer {
  private static final Logger log = LoggerFactory.getLogger(RaftTurns.class);
  private static final long WELCOME_MS = 100;
  private static final long PUSH_MS = 2_000;

  private enum Rebuild {
    NONE,
    /** The state holds what is not committed; all that is told is ignored until a checkpoint. */
    ASKED,
    /** The checkpoint has come, entries follow. */
    RUNNING
  }

  /**
   * What other threads do.
   *
   * @param owner runs a task on the owner thread, later
   * @param closed whether the member has left; any thread
   */
  record Threads(Consumer<Runnable> owner, Executor files, BooleanSupplier closed) {}

  private final String name;
  private final ReplicatedLog.Listener listener;
  private final RaftDisk disk;
  private final RaftReplica replica;
  private final RaftCheckpoints checkpoints;
  private final Threads threads;
  private final SecureRandom random = new SecureRandom();
  private final Set<Address> welcomed = new HashSet<>();
  private GroupRaft raft;
  private GroupElection election;
  private RaftChannel channel;

  /** Null while this member does not lead by jgroups-raft's word. */
  private RaftLeadership leadership;

  private Rebuild rebuild = Rebuild.NONE;
  private boolean toldFollowing;
  private String toldLeader;
  private long toldCommitted;
  private long toldConfirmed;
  private long membersChangedAt;
  private long welcomeLookMs;
  private long leaderSeenMs = nowMs();

  RaftTurns(
      String name,
      ReplicatedLog.Listener listener,
      RaftDisk disk,
      RaftReplica replica,
      RaftCheckpoints checkpoints,
      Threads threads) {
    this.name = name;
    this.listener = listener;
    this.disk = disk;
    this.replica = replica;
    this.checkpoints = checkpoints;
    this.threads = threads;
  }

  /** Once, before anything else. */
  void join(GroupRaft with, GroupElection by, RaftChannel over) {
    raft = with;
    election = by;
    channel = over;
  }

  private static long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** Null while this member does not lead. */
  RaftLeadership leadership() {
    return leadership;
  }

  boolean isServing() {
    return leadership != null && leadership.isServing();
  }

  /** The entry that changed the membership last. */
  long membersChangedAt() {
    return membersChangedAt;
  }

  /** The member stops. */
  void end() {
    leadership = null;
  }

  /** This member has all that a former folder of its name may have had. Any thread. */
  void settle(String why) {
    disk.settle();
    log.info("Member {} {}, and may vote", name, why);
    channel.say();
  }

  /** Appends a command that the leader has applied; the answer is its number. */
  long append(ByteBuffer payload) {
    long number = replica.appliedByLeader();
    submit(RaftEntry.command(leadership.id(), number, payload));
    leadership.appended(number);
    return number;
  }

  /** Appends an entry for the reads that no command confirms. */
  void round() {
    long ticket = leadership.roundDue();
    if (ticket > 0) {
      submit(RaftEntry.round(leadership.id(), ticket));
    }
  }

  /** Compares what jgroups-raft says with what was made of it. */
  void look() {
    Address leader = election.leader();
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
    if (leadership != null && now - welcomeLookMs >= WELCOME_MS) {
      welcomeLookMs = now;
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
    for (Address address : channel.meeting().unsettled()) {
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
    submit(RaftEntry.termStart(leadership.id(), term, name));
  }

  private void submit(RaftEntry entry) {
    RaftLeadership of = leadership;
    raft.submit(
        entry,
        lost -> {
          if (lost != null) {
            threads.owner().accept(() -> lost(of));
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
    log.info("Member {} leads no longer", name);
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
    while (!threads.closed().getAsBoolean()
        && !raft.execute(
            () -> {
              raft.tellAgain(replica.initial());
              threads.owner().accept(this::rebuilt);
            })) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private void rebuilt() {
    rebuild = Rebuild.NONE;
    tellFollowing(null);
    look();
  }

  private void tellFollowing(String leader) {
    if (!toldFollowing || !Objects.equals(leader, toldLeader)) {
      toldFollowing = true;
      toldLeader = leader;
      log.info("Member {}: leader {}", name, leader == null ? "unknown" : leader);
      listener.following(leader);
    }
  }

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

  private void serve() {
    log.info("Member {} leads in term {}", name, leadership.term());
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
}
