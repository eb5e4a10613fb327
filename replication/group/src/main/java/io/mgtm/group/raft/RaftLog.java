package io.mgtm.group.raft;

import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.StateMachine;
import io.mgtm.group.member.GroupSettings;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.member.ManagedLog;
import io.mgtm.group.member.OwnerTasks;
import io.mgtm.group.net.JGroupsSettings;
import io.mgtm.group.storage.DataDirectory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
  private static final Optional<String> NOT_LEADING = Optional.of("this member does not lead");
  private static final long VOTE_MS = 400;
  private static final long BEHIND_MS = 100;

  private final GroupSettings settings;
  private final OwnerTasks tasks;
  private final Listener listener;
  private final DataDirectory folder;
  private final RaftThreads threads;
  private final RaftDisk disk;
  private final RaftReplica replica;
  private final GroupRaft raft;
  private final RaftChannel channel;
  private final RaftTurns turns;
  private final RaftMembership membership;
  private final AtomicBoolean lookAsked = new AtomicBoolean();
  private boolean roundAsked;

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
          opened.tasks.close();
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
    this.listener = listener;
    tasks = new OwnerTasks(settings.name(), owner, this::failed);
    this.threads = threads;
    disk = new RaftDisk(folder, settings.segments(), threads.files());
    replica = new RaftReplica(machine, settings.members());
    disk.newestCheckpoint().ifPresent(replica::restore);
    turns =
        new RaftTurns(
            settings.name(),
            listener,
            disk,
            replica,
            new RaftCheckpoints(disk, replica, threads.files(), settings.checkpointBytes()),
            new RaftTurns.Threads(tasks::execute, threads.files(), tasks::isClosed));
    raft =
        new GroupRaft(disk, new RaftTold(turns, tasks::execute, this::failLater, tasks::isClosed));
    raft.raftId(settings.name()).members(settings.members());
    raft.addRoleListener(role -> askLook());
    GroupElection election = new GroupElection(disk::isSettled, this::failLater);
    election.voteTimeout(VOTE_MS);
    channel =
        RaftChannel.open(
            settings.name(), network, election, raft, disk::isSettled, this::othersChanged);
    turns.join(raft, election, channel);
    membership = new RaftMembership(settings.name(), disk, replica, raft, channel);
    log.info(
        "Member {}: mode raft, term {}, entries to {}, {}",
        settings.name(),
        disk.currentTerm(),
        disk.lastAppended(),
        disk.isSettled() ? "may vote" : "new");
  }

  private void begin(JGroupsSettings network) {
    channel.connect(network);
    threads
        .clock()
        .scheduleWithFixedDelay(
            this::askLook, settings.tickMs(), settings.tickMs(), TimeUnit.MILLISECONDS);
    // Not by the owner: it may wait for room, which comes when those behind have what they lack.
    threads
        .clock()
        .scheduleWithFixedDelay(
            () -> raft.execute(raft::sendToThoseBehind),
            BEHIND_MS,
            BEHIND_MS,
            TimeUnit.MILLISECONDS);
  }

  /**
   * JGroups' threads. A folder that was emptied has forgotten what it acknowledged, and may vote
   * again when it has caught up; in a group that meets for the first time all may at once.
   */
  private void othersChanged() {
    try {
      if (!disk.isSettled() && channel.meeting().isFirst(settings.members())) {
        turns.settle("meets all others for the first time");
      }
    } catch (LogException e) {
      failLater(e);
    }
    askLook();
  }

  /** Any thread. */
  private void failLater(LogException cause) {
    tasks.execute(() -> tasks.fail(cause));
  }

  private void failed(LogException cause) {
    turns.end();
    listener.following(null);
    listener.failed(cause);
  }

  /** Any thread. */
  private void askLook() {
    if (!lookAsked.getAndSet(true)) {
      tasks.execute(
          () -> {
            lookAsked.getAndSet(false);
            turns.look();
          });
    }
  }

  @Override
  public boolean isLeading() {
    return turns.isServing() && !tasks.isFailed();
  }

  @Override
  public boolean hasRoom(int bytes) {
    tasks.checkOpen();
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
    tasks.checkOpen();
    if (!isLeading()) {
      throw new IllegalStateException("this member does not lead");
    }
    return turns.append(payload);
  }

  @Override
  public long confirm() {
    tasks.checkOpen();
    if (!isLeading()) {
      throw new IllegalStateException("this member does not lead");
    }
    if (!roundAsked) {
      roundAsked = true;
      tasks.execute(this::round);
    }
    return turns.leadership().confirm();
  }

  /** After the tasks that wait already, so that what they append confirms the reads. */
  private void round() {
    roundAsked = false;
    if (isLeading()) {
      turns.round();
    }
  }

  @Override
  public long confirmedTicket() {
    return isLeading() ? turns.leadership().confirmedTicket() : 0;
  }

  @Override
  public long committedIndex() {
    return replica.commands();
  }

  @Override
  public long lastIndex() {
    return replica.applied();
  }

  @Override
  public Optional<String> transfer(String name) {
    tasks.checkOpen();
    return Optional.of(
        "Mode raft cannot hand the leadership to a chosen member: jgroups-raft has no means for it;"
            + " stop the leader, and the others elect one of them");
  }

  @Override
  public Optional<String> add(String name) {
    tasks.checkOpen();
    return isLeading() ? membership.add(name, turns.membersChangedAt()) : NOT_LEADING;
  }

  @Override
  public Optional<String> remove(String name) {
    tasks.checkOpen();
    return isLeading() ? membership.remove(name, turns.membersChangedAt()) : NOT_LEADING;
  }

  /** Nothing is acknowledged that is not forced on a majority, so there is nothing to accept. */
  @Override
  public void acceptLoss() {
    log.warn("Mode raft does not go on without a majority of its members, and forces everything");
  }

  @Override
  public GroupStatus status() {
    return membership.status(turns.leadership() != null, isLeading());
  }

  /**
   * Leaves the group's network, forces everything, marks the log as cleanly closed, and gives the
   * folder up. Called by the owner thread, or once that has ended.
   *
   * @throws LogException when the log could not be closed cleanly
   */
  @Override
  public void close() {
    if (tasks.isClosed()) {
      return;
    }
    tasks.close();
    try (folder) {
      channel.close();
      threads.stop();
      if (!tasks.isFailed()) {
        disk.closeCleanly();
        log.info("Member {} closed its log cleanly", settings.name());
      }
    }
  }
}
