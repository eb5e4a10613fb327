package io.mgtm.group.raft;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.EmptyMessage;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.raft.AppendEntriesResponse;
import org.jgroups.protocols.raft.AppendResult;
import org.jgroups.protocols.raft.InstallSnapshotRequest;
import org.jgroups.protocols.raft.Leader;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.protocols.raft.RaftHeader;
import org.jgroups.raft.util.CommitTable;
import org.jgroups.util.Bits;
import org.jgroups.util.Util;

/**
 * jgroups-raft's replication with the places mended in which version 1.1.4 keeps less than Raft
 * promises:
 *
 * <ul>
 *   <li>A follower says that its log matches only as far as it has been compared with the leader's,
 *       and commits no further. (There it reports its last entry, matching or not, and lets a
 *       message without entries commit it.)
 *   <li>All entries of a message are compared with those that stand in the log already. (There the
 *       first one is.)
 *   <li>A leader counts entries of former terms as committed only together with one of its own.
 *   <li>A checkpoint that is behind what a follower has committed, or that its log holds, is not
 *       installed.
 *   <li>A member votes between two messages with entries; who sent a message is not taken for the
 *       leader of a later term; and a vote is stored with its term. (There these race.)
 *   <li>Members that lag behind are sent what they lack also while the leader is busy, in bounded
 *       pieces, and a checkpoint not again while it is under way. An answer that another has
 *       overtaken sends nothing again.
 * </ul>
 *
 * <p>jgroups-raft's reads ({@code getAsync}) are not used: in 1.1.4 a read lets the leader commit
 * whatever it has appended. All that is not said otherwise runs on the one thread that jgroups-raft
 * has for its state.
 */
public final class GroupRaft extends RAFT {
  private static final short ID = 602;
  private static final int QUEUE_MAX = 1 << 16;
  private static final int RESEND_BYTES_MAX = 1 << 20;
  private static final long SNAPSHOT_AGAIN_NANOS = 10_000_000_000L;

  static {
    ClassConfigurator.addProtocol(ID, GroupRaft.class);
  }

  /** Hears of what is committed, in the order of the log. */
  interface Sink {
    /** A committed entry; it is handed on at the next {@link #flush}. */
    void committed(long index, ByteBuffer entry);

    /** The membership after a committed entry. */
    void members(long index, List<String> members);

    /** All that is committed at this time has been told. */
    void flush();

    /** The state is replaced by that of a checkpoint, and goes on from there. */
    void restored(RaftCheckpoint checkpoint);

    /** The member must stop. */
    void failed(LogException cause);
  }

  private static final class Task extends Request {
    private final Runnable run;

    Task(Runnable run) {
      this.run = run;
    }
  }

  private final RaftDisk disk;
  private final Sink sink;

  /** How far this follower's log is known to be that of the leader of a term. */
  private long matched;

  private long matchedTerm;

  private final Map<Address, Long> snapshotSent = new HashMap<>();

  /** The term of the message that is dealt with, 0 between two. */
  private long messageTerm;

  /** For JGroups, which makes one of each protocol it knows; such a one cannot be started. */
  public GroupRaft() {
    this(null, null);
  }

  GroupRaft(RaftDisk disk, Sink sink) {
    this.disk = disk;
    this.sink = sink;
    processing_queue_max_size = QUEUE_MAX;
    maxLogCacheSize(0); // it is not made for the several threads that read
    maxLogSize(Long.MAX_VALUE);
    log(disk);
    stateMachine(new Applied());
  }

  /** Hands over what is committed. */
  private final class Applied implements org.jgroups.raft.StateMachine {
    private long index;

    @Override
    public byte[] apply(byte[] data, int offset, int length, boolean serialize) {
      sink.committed(index, ByteBuffer.wrap(data, offset, length).slice());
      return null;
    }

    @Override
    public void readContentFrom(java.io.DataInput in) throws Exception {
      sink.restored(RaftCheckpoint.afterMembership(in, members()));
    }

    @Override
    public void writeContentTo(java.io.DataOutput out) {
      throw new UnsupportedOperationException("checkpoints are made by the member");
    }
  }

  @Override
  protected void createCommitTable() {
    super.createCommitTable();
    commit_table = new RaftProgress(List.copyOf(commit_table.keys()), last_appended + 1);
  }

  /** The member has restored its state from the newest checkpoint itself, before it began. */
  @Override
  public void initStateMachineFromLog() {
    disk.newestCheckpoint().ifPresent(found -> members(found.members()));
    state_machine_loaded = true;
  }

  /**
   * Runs a task on the thread of this protocol, before the messages that wait at that time; false
   * when it is too busy. Any thread.
   */
  boolean execute(Runnable task) {
    return processing_queue.offer(new Task(task));
  }

  @Override
  protected void process(List<Request> requests) {
    List<Request> others = new ArrayList<>(requests.size());
    for (Request request : requests) {
      if (request instanceof Task task) {
        guarded(task.run);
      } else {
        others.add(request);
      }
    }
    guarded(() -> super.process(others));
  }

  /** A leader that could not store what it has sent, or a disk that fails, must not go on. */
  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (LogException e) {
      sink.failed(e);
    } catch (RuntimeException e) {
      if (isLeader()) {
        sink.failed(new LogException(Category.IO, "The leader met a broken invariant: " + e, e));
      } else {
        log.warn("%s: a request was dropped: %s", local_addr, e);
      }
    }
  }

  private long matched() {
    // What a message tells is true of its term, which may be over by now.
    long term = messageTerm == 0 ? currentTerm() : messageTerm;
    if (matchedTerm != term) {
      matchedTerm = term;
      matched = 0;
    }
    return Math.max(matched, commit_index);
  }

  /**
   * A vote is stored with its term; jgroups-raft may store the term later, and take the vote back.
   */
  @Override
  public RAFT votedFor(Address member) {
    disk.currentTerm(currentTerm());
    return super.votedFor(member);
  }

  /** What a follower answers to a leader. */
  @Override
  public long lastAppended() {
    return impl() instanceof Leader ? last_appended : matched();
  }

  @Override
  protected boolean append(long index, LogEntries entries) {
    long at = index;
    LogEntries lacking = new LogEntries();
    for (LogEntry entry : entries) {
      if (at <= last_appended && disk.get(at).term() != entry.term()) {
        deleteAllLogEntriesStartingFrom(at);
      }
      if (at > last_appended) {
        lacking.add(entry);
      }
      at++;
    }
    if (lacking.size() > 0) {
      last_appended = disk.append(last_appended + 1, lacking);
      if (last_appended < at - 1) {
        throw new IllegalStateException("no room for all entries; the leader sends them again");
      }
    }
    matched = Math.max(matched(), at - 1);
    return true;
  }

  @Override
  protected RAFT commitLogTo(long index, boolean serialize) {
    boolean leads = impl() instanceof Leader;
    long to = Math.min(index, leads ? last_appended : Math.min(matched(), last_appended));
    if (to <= commit_index || (leads && disk.get(to).term() != currentTerm())) {
      return this;
    }
    super.commitLogTo(to, false);
    sink.flush();
    return this;
  }

  @Override
  protected void applyCommit(long index, boolean serialize) throws Exception {
    ((Applied) state_machine).index = index;
    super.applyCommit(index, serialize);
    if (disk.get(index).internal()) {
      sink.members(index, members());
    }
  }

  @Override
  public void handleUpRequest(Message message, RaftHeader header) {
    messageTerm = header.currTerm();
    try {
      if (!(header instanceof InstallSnapshotRequest && isKnown(message, header))) {
        super.handleUpRequest(message, header);
      }
    } catch (LogException e) {
      if (e.category() != Category.NO_SPACE) {
        sink.failed(e);
      }
      throw e;
    } finally {
      messageTerm = 0;
    }
    if (header instanceof AppendEntriesResponse
        && commit_table instanceof RaftProgress progress
        && progress.takeDue(message.getSrc())) {
      CommitTable.Entry sender = progress.get(message.getSrc());
      if (sender != null) {
        sendAppendEntriesMessage(message.getSrc(), sender);
      }
    }
  }

  /** Who sends entries leads in the term of the message, which may be over by now. */
  @Override
  public RAFT leader(Address leader) {
    if (messageTerm == 0) {
      return super.leader(leader);
    }
    trySetLeaderAndTerm(leader, messageTerm);
    return this;
  }

  /** Answers a checkpoint whose last entry this member has. */
  private boolean isKnown(Message message, RaftHeader header) {
    if (currentTerm(header.currTerm()) < 0) {
      return true;
    }
    long[] last = lastOf(header);
    LogEntry here = last[0] <= last_appended ? disk.get(last[0]) : null;
    boolean holds = here != null && here.term() == last[1];
    if (last[0] > commit_index && !holds) {
      return false;
    }
    leader(message.getSrc());
    if (holds) {
      matched = Math.max(matched(), last[0]);
      commitLogTo(last[0], false);
    }
    AppendResult result =
        new AppendResult(AppendResult.Result.OK, matched()).commitIndex(commit_index);
    down_prot.down(
        new EmptyMessage(message.getSrc())
            .putHeader(id, new AppendEntriesResponse(currentTerm(), result)));
    return true;
  }

  /** Index and term of a checkpoint's last entry; the header tells them by its bytes only. */
  private static long[] lastOf(RaftHeader header) {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      header.writeTo(new DataOutputStream(bytes));
      DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
      Bits.readLongCompressed(in);
      Util.readAddress(in);
      return new long[] {Bits.readLongCompressed(in), Bits.readLongCompressed(in)};
    } catch (IOException | ClassNotFoundException e) {
      throw new IllegalStateException("a header that cannot be read", e);
    }
  }

  @Override
  protected void sendSnapshotTo(Address to) {
    Long before = snapshotSent.get(to);
    long now = System.nanoTime();
    if (before != null && now - before < SNAPSHOT_AGAIN_NANOS) {
      return;
    }
    Optional<RaftCheckpoint> checkpoint = disk.newestCheckpoint();
    if (checkpoint.isEmpty()) {
      return;
    }
    snapshotSent.put(to, now);
    InstallSnapshotRequest header =
        new InstallSnapshotRequest(
            currentTerm(), leader(), checkpoint.get().index(), disk.checkpointTerm());
    down_prot.down(new BytesMessage(to, checkpoint.get().encoded()).putHeader(id, header));
  }

  @Override
  protected void resend(Address to, long from, long through) {
    long bytes = 0;
    long end = from;
    while (end < through && bytes < RESEND_BYTES_MAX) {
      LogEntry entry = disk.get(end);
      if (entry == null) {
        return; // a new checkpoint has taken its place, and will be sent
      }
      bytes += entry.length();
      end++;
    }
    if (commit_table instanceof RaftProgress progress) {
      progress.sent(to, from, end, end < last_appended);
    }
    super.resend(to, from, end);
  }

  /** A leader's look, now and then, at who lags behind. */
  void sendToThoseBehind() {
    // Another thread may take the leadership from this member meanwhile, and its table.
    if (!(impl() instanceof Leader) || !(commit_table instanceof RaftProgress progress)) {
      return;
    }
    progress.forgetOthers();
    snapshotSent.keySet().retainAll(progress.keys());
    progress.forEach(
        (member, entry) -> {
          if (progress.isStuck(member, entry, last_appended, commit_index)) {
            sendAppendEntriesMessage(member, entry);
          }
        });
  }

  /** Tells all committed entries from the newest checkpoint on, or from the first. */
  void tellAgain(RaftCheckpoint initial) {
    RaftCheckpoint from = disk.newestCheckpoint().orElse(initial);
    sink.restored(from);
    for (long index = from.index() + 1; index <= commit_index; index++) {
      LogEntry entry = disk.get(index);
      if (entry.internal()) {
        continue; // the newest membership is told below
      }
      sink.committed(
          index, ByteBuffer.wrap(entry.command(), entry.offset(), entry.length()).slice());
    }
    sink.members(commit_index, members());
    sink.flush();
  }

  /** How far each member's log is, on a leader. Any thread; may be a little old. */
  Map<Address, Long> matchedByMember() {
    CommitTable table = commit_table;
    Map<Address, Long> byMember = new HashMap<>();
    if (table != null) {
      table.forEach((member, entry) -> byMember.put(member, entry.matchIndex()));
    }
    return byMember;
  }

  /** The members of the view that are not known to have committed an entry. Any thread. */
  List<Address> behindCommitOf(long index) {
    CommitTable table = commit_table;
    List<Address> behind = new ArrayList<>();
    if (table != null) {
      table.forEach(
          (member, entry) -> {
            if (entry.commitIndex() < index) {
              behind.add(member);
            }
          });
    }
    return behind;
  }

  /** Appends an entry, in the order of the calls. One thread. */
  void submit(RaftEntry entry, Consumer<Throwable> done) {
    byte[] bytes = entry.encoded();
    disk.queued(bytes.length);
    try {
      setAsync(bytes, 0, bytes.length, false, null)
          .whenComplete(
              (ignored, failure) -> {
                disk.queued(-bytes.length);
                done.accept(failure);
              });
    } catch (IllegalStateException e) {
      disk.queued(-bytes.length);
      done.accept(e);
    }
  }
}
