package io.mgtm.group.member;

import io.mgtm.group.Durability;
import io.mgtm.group.GroupMode;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.StateMachine;
import io.mgtm.group.core.CoreLog;
import io.mgtm.group.core.GroupCore;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.MembershipHistory;
import io.mgtm.group.core.TermRecord;
import io.mgtm.group.net.Transport;
import io.mgtm.group.storage.BackgroundSync;
import io.mgtm.group.storage.CheckpointStore;
import io.mgtm.group.storage.LogStats;
import io.mgtm.group.storage.LogStore;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of one member of a group that one leads; {@link GroupMode} says what each mode promises,
 * and docs/replication.md says it in full.
 *
 * <p>All methods are called by the owner thread unless they say otherwise. The owner executor must
 * run one task after the other, never inside {@code execute}; between two tasks everything applied
 * must be appended.
 */
public class GroupLog extends CoreMember {
  private static final Logger log = LoggerFactory.getLogger(GroupLog.class);

  final LogStore store;
  final GroupDisk disk;
  final Applier applier;
  final GroupCheckpoints checkpoints;
  private final DurabilityWatch durability;

  /** Whether entries are committed before the others have them. */
  private final boolean lazy;

  private boolean flushAsked;

  /**
   * Opens the member's folder, or begins one, and joins the group. Called by the owner thread, or
   * before it runs.
   *
   * @param mode one that is led by the group's own core
   * @param parts given up with the log, or when it cannot be opened
   * @param everyMember told beside the listener
   * @param transport started by this log, and closed with it
   * @throws LogException as {@link LogStore#open} and {@link Transport#start} throw, with CORRUPT
   *     when what must not be forgotten is missing
   */
  public static GroupLog open(
      GroupMode mode,
      MemberParts parts,
      GroupSettings settings,
      StateMachine machine,
      Executor owner,
      Listener listener,
      MemberListener everyMember,
      Transport transport) {
    return begun(
        parts,
        transport,
        () ->
            new GroupLog(mode, parts, settings, machine, owner, listener, everyMember, transport));
  }

  GroupLog(
      GroupMode mode,
      MemberParts parts,
      GroupSettings settings,
      StateMachine machine,
      Executor owner,
      Listener listener,
      MemberListener everyMember,
      Transport transport) {
    super(parts, settings, owner, listener, everyMember, transport, mode == GroupMode.LAZY);
    this.lazy = mode == GroupMode.LAZY;
    durability = new DurabilityWatch(settings.name(), settings.durability());
    WitnessDisk.refuseIn(parts.files());
    CheckpointStore checkpointStore = new CheckpointStore(parts.files(), parts.member());
    store =
        LogStore.open(
            new LogStore.Environment(
                parts.files(), parts.member(), parts.threads().files(), parts.nanoClock()),
            settings.segments(),
            checkpointStore.newestIndex());
    BackgroundSync force =
        new BackgroundSync(
            store, parts.threads().force(), () -> execute(this::synced), tasks::report);
    applier = new Applier(machine, lazy, this::execute, parts.threads().checkpoints());
    CheckpointInflow inflow =
        new CheckpointInflow(
            checkpointStore, machine, parts.threads().checkpoints(), this::execute, this::received);
    TermRecord ofAlone = settings.isAlone() ? FormerLog.record(self, store.lastTerm()) : null;
    // First: the checkpoints of a folder that was used otherwise may be others.
    TermStore terms = new TermStore(parts.files(), parts.boot(), ofAlone);
    TermRecord record =
        ofAlone == null
            ? terms.begin(store.recovery())
            : FormerLog.begin(terms, store, checkpointStore, machine);
    disk = new GroupDisk(store, checkpointStore, settings.tailBytes(), force::ask, applier, inflow);
    MembershipHistory members = new MembershipHistory(0, record.initial());
    applier.start(disk, members);
    FolderName.check(self, members.latest());
    checkpoints =
        new GroupCheckpoints(
            disk,
            applier,
            machine,
            this::execute,
            parts.threads(),
            parts.wallMs(),
            settings.checkpointBytes());
    applier.tell(notices::applied);
    runs(
        new GroupCore(
            settings.start(lazy, self, disk, new LogEffects(terms), members, record, parts.seed()),
            parts.nowMs()),
        settings);
    log.info(
        "Member {} begins in term {}, entries to {}, {}",
        self,
        record.term(),
        store.lastIndex(),
        core.membership().inWords());
  }

  @Override
  void begin() {
    store.startAppending();
    super.begin();
  }

  /** What the core does to the state. */
  private final class LogEffects extends CoreEffects {
    LogEffects(TermStore terms) {
      super(terms);
    }

    @Override
    public void leading(long term, boolean entriesMayBeMissing) {
      String missing = entriesMayBeMissing ? ", acknowledged entries may be missing" : "";
      log.info("Member {} leads in term {}{}", self, term, missing);
      applier.whenApplied(() -> notices.leading(term, entriesMayBeMissing));
    }

    @Override
    public void committed(long index) {
      applier.applyUpTo(index);
    }
  }

  private void received(CoreLog.Checkpoint of, long offset, boolean ready) {
    core.received(nowMs(), of, offset, ready);
  }

  void synced() {
    core.synced(nowMs());
  }

  @Override
  void tick() {
    core.tick(nowMs());
    if (core.leader() != null && core.commitIndex() > 0) {
      durability.look(core.membershipAt(core.commitIndex()).forces());
    }
    look();
    notices.add(() -> everyMember.ticked(parts.nowMs()));
  }

  /** Looks whether a checkpoint is due, and whether there is room again. */
  void look() {
    checkpoints.tick(core, parts.nowMs(), room.isRefused());
    if (room.isRefused() && disk.hasRoom()) {
      room.hasRoom();
    }
  }

  public MemberId self() {
    return self;
  }

  /** How often this member was started on its folder, this time included. */
  public long incarnation() {
    return core.incarnation();
  }

  /** Whether a member stands in the newest membership of this member's log. */
  public boolean isMember(MemberId member) {
    return core.membership().contains(member);
  }

  /** In mode lazy: whether this member may lead without those that are gone. */
  public boolean isInStep() {
    return core.isInStep();
  }

  @Override
  public boolean hasRoom(int bytes) {
    tasks.checkOpen();
    GroupDisk.checkSize(bytes);
    if (disk.hasRoom(bytes)) {
      return true;
    }
    room.refused(store.noRoomReason(), parts.nowMs());
    return false;
  }

  @Override
  public LogStats stats() {
    return disk.stats(checkpoints);
  }

  @Override
  public String noRoomReason() {
    return store.noRoomReason();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException when this member does not lead
   */
  @Override
  public long append(ByteBuffer payload, Durability durability) {
    tasks.checkOpen();
    ByteBuffer copy = ByteBuffer.allocate(payload.remaining()).put(payload.duplicate()).flip();
    long index = appendApplied(copy, durability);
    askFlush();
    return index;
  }

  /** Appends what the leader has applied, and says its index. */
  long appendApplied(ByteBuffer payload, Durability durability) {
    GroupDisk.checkSize(payload.remaining());
    long index;
    try {
      index = core.append(payload, durability);
    } catch (LogException e) {
      if (e.category() != Category.NO_SPACE) {
        // In a task of its own, so that the caller, which is the listener too, has come to an end.
        execute(() -> tasks.fail(e));
      }
      throw e;
    }
    applier.appliedByLeader(index);
    return index;
  }

  /** Sends after the tasks that wait already, so that what they append goes along. */
  private void askFlush() {
    if (!flushAsked) {
      flushAsked = true;
      execute(
          () -> {
            flushAsked = false;
            core.flush(nowMs());
          });
    }
  }

  @Override
  public long confirm() {
    tasks.checkOpen();
    long readIndex = core.confirm(nowMs());
    if (readIndex > core.confirmedReadIndex()) {
      askFlush();
    }
    return readIndex;
  }

  @Override
  public long confirmedReadIndex() {
    return core.confirmedReadIndex();
  }

  @Override
  public boolean mayAnswer() {
    return core.mayAnswer(nowMs());
  }

  @Override
  public boolean acknowledgesEarly() {
    return lazy;
  }

  @Override
  public long committedIndex() {
    return core.commitIndex();
  }

  @Override
  public long stableIndex() {
    return lazy ? core.stableIndex() : core.commitIndex();
  }

  @Override
  public long sharedIndex() {
    return lazy ? core.sharedIndex() : core.commitIndex();
  }

  @Override
  public long lastIndex() {
    return disk.lastIndex();
  }

  @Override
  public GroupStatus status() {
    return GroupStatus.of(
        self,
        core,
        notices.toldLeading(),
        applier.applied(),
        transport,
        isLeading() ? "" : room.warning(parts.nowMs()));
  }

  @Override
  final void closeCleanly() {
    beforeCleanClose();
    store.closeCleanly();
    log.info("Member {} closed its log cleanly at entry {}", self, store.lastIndex());
  }

  /** Nothing else is at work any more. */
  void beforeCleanClose() {}
}
