package io.mgtm.group.core.sim;

import static io.mgtm.group.core.sim.Violation.check;

import io.mgtm.group.Durability;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.Pieces;
import io.mgtm.group.core.CoreLog.Checkpoint;
import io.mgtm.group.core.Effects;
import io.mgtm.group.core.EntryKind;
import io.mgtm.group.core.GroupCore;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import io.mgtm.group.core.MembershipHistory;
import io.mgtm.group.core.Message;
import io.mgtm.group.core.Role;
import io.mgtm.group.core.TermRecord;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/** A process of a member: a core, its state machine, and the replies it holds back. */
final class SimNode implements Effects {
  /** A reply that waits for an entry, and a read's for a ticket. */
  private record Held(
      Operation operation, long index, long reply, long ticket, long term, LongConsumer answer) {}

  final String name;
  final SimDisk disk;
  final SimLog log;
  private final GroupSimulation world;
  private final MemberId self;

  private final DurabilityMode durability;
  private final Deque<Held> held = new ArrayDeque<>();

  /** Digests after applied entries that are not committed yet. */
  private final Map<Long, Long> digests = new HashMap<>();

  /** What runs on the core in mode total; null in other modes. */
  final SimTotal total;

  SimMachine machine = new SimMachine();
  GroupCore core;
  boolean alive = true;

  /** Its folder will be empty when it is started again. */
  boolean doomed;

  /** What has come in while the process stands still; null while it runs. */
  private Deque<Runnable> asleep;

  String failure;

  /** What it had sent when it died is lost after this time, for each receiver. */
  final Map<String, Long> lostAfterMs = new HashMap<>();

  /** Who has said that it is new, for a planted fault. */
  final Map<String, Message.HelloReply> introduced = new HashMap<>();

  private long applied;
  private long checkedCommit;
  private Checkpoint pendingCheckpoint;
  private ByteBuffer pendingContent;

  SimNode(GroupSimulation world, String name, SimDisk disk) {
    this.world = world;
    this.name = name;
    this.disk = disk;
    this.self = new MemberId(name, disk.folder);
    this.durability = world.configuredDurability();
    this.log = new SimLog(world, this);
    this.total = world.isTotal() ? new SimTotal(world, this) : null;
    start();
  }

  private void start() {
    TermRecord record = asClaimed(disk.recordOfStart(world.fault, isWitness()));
    disk.mayHaveLost = false;
    disk.syncFailed = false;
    if (isWitness()) {
      disk.loadPosition();
    }
    disk.durable = disk.last();
    disk.record = record;
    disk.storedRecord = record;
    MembershipHistory members = new MembershipHistory(0, record.initial());
    if (disk.checkpoint != null) {
      members.reset(disk.checkpoint.index(), disk.checkpoint.membership());
    }
    if (disk.checkpoint != null && !isWitness()) {
      restore();
      applied = disk.checkpoint.index();
      checkedCommit = applied;
      checkState(applied);
    }
    for (long index = applied + 1; index <= disk.last() && !isWitness(); index++) {
      Membership membership = disk.entry(index).membership();
      if (membership != null) {
        members.appended(index, membership);
      }
      apply(index);
    }
    core =
        new GroupCore(
            new GroupCore.Start(
                world.settings,
                world.agreement,
                self,
                world.configuredFor(name),
                world.witness,
                durability,
                log,
                this,
                members,
                record,
                world.random.nextLong()),
            world.nowMs());
    if (total != null) {
      total.begin(record.incarnation());
    }
    if (world.fault == Fault.RESTARTED_MEMBER_THINKS_IT_IS_IN_STEP) {
      MemberId other = new MemberId("other", disk.folder);
      core.receive(world.nowMs(), other, new Message.CaughtUp(record.term(), record.incarnation()));
    }
  }

  private TermRecord asClaimed(TermRecord r) {
    return world.fault != Fault.FOREIGN_DURABILITY
        ? r
        : new TermRecord(
            r.term(),
            r.votedFor(),
            r.incarnation(),
            r.standing(),
            r.initial(),
            r.founding(),
            durability == DurabilityMode.ALL);
  }

  private void apply(long index) {
    check(index == applied + 1, "%s applies entry %d after %d", self, index, applied);
    if (total == null) {
      Oracle.applyTo(machine, disk.entry(index), index);
    } else {
      total.apply(disk.entry(index), index);
    }
    applied = index;
    digests.put(index, machine.digest());
  }

  private void checkState(long index) {
    if (world.oracle.losses() == 0) {
      world.oracle.state(self, index, machine.digest());
    }
  }

  MemberId self() {
    return self;
  }

  boolean isWitness() {
    return name.equals(world.witness);
  }

  /** Runs one input of the core, and looks at what has become of it. */
  void step(Runnable input) {
    if (!alive || core.isStopped()) {
      return;
    }
    if (asleep != null) {
      asleep.addLast(input);
      return;
    }
    final boolean led = core.role() == Role.LEADER;
    final long termBefore = core.term();
    input.run();
    check(core.term() >= termBefore, "%s went back from term %d", self, termBefore);
    if (core.role() == Role.LEADER && (!led || core.term() != termBefore)) {
      world.trace("%s leads term %d, last %d", self, core.term(), disk.last());
      world.oracle.elected(self, core.term(), disk);
    }
    if (core.role() == Role.LEADER && disk.record.term() != core.term()) {
      throw new Violation(self + " leads a term that it has not stored");
    }
    storeCheckpoint();
    release();
    if (total != null) {
      total.afterStep();
    }
  }

  /** The process stands still from now on, as by SIGSTOP; its system takes in what comes. */
  void pause() {
    world.trace("%s stands still", self);
    asleep = new ArrayDeque<>();
  }

  boolean isPaused() {
    return asleep != null;
  }

  /** It goes on, with what came meanwhile. */
  void wake() {
    world.trace("%s goes on", self);
    Deque<Runnable> came = asleep;
    asleep = null;
    came.forEach(this::step);
  }

  /** What is seen to come first when it goes on. */
  void putFirst(Runnable input) {
    asleep.addFirst(input);
  }

  /** A client's request; the answer gets the reply, or -1 when this member does not serve. */
  void request(Operation operation, LongConsumer answer) {
    if (total != null) {
      step(() -> total.request(operation, answer));
      return;
    }
    step(
        () -> {
          if (!core.isServing()) {
            answer.accept(-1);
            return;
          }
          if (operation.kind() == Operation.Kind.READ) {
            long ticket = core.confirm();
            hold(operation, disk.last(), machine.registers[operation.register()], ticket, answer);
          } else {
            change(operation, answer);
          }
          world.after(world.random.nextInt(3), () -> step(() -> core.flush(world.nowMs())));
        });
  }

  private void change(Operation operation, LongConsumer answer) {
    SimMachine.Result result = machine.apply(operation, disk.last() + 1);
    if (result.changed()) {
      Durability durability = result.durability();
      if (world.fault == Fault.AHEAD_TAKEN_FOR_BUFFERED && durability == Durability.AHEAD) {
        durability = Durability.BUFFERED;
      }
      appendedAndApplied(core.append(operation.encoded(), durability));
    }
    hold(operation, disk.last(), result.reply(), 0, answer);
    if (world.fault == Fault.ACKNOWLEDGE_BEFORE_MAJORITY) {
      Held last = held.removeLast();
      answer(last, result.index());
    }
  }

  /** This leader has applied what is now the entry of an index. */
  void appendedAndApplied(long index) {
    for (long other = applied + 1; other < index; other++) {
      check(
          disk.entry(other).kind() != EntryKind.COMMAND,
          "%s serves and has not applied entry %d",
          self,
          other);
      digests.put(other, digests.getOrDefault(other - 1, 0L));
    }
    applied = index;
    digests.put(index, machine.digest());
  }

  private void hold(Operation operation, long index, long reply, long ticket, LongConsumer answer) {
    held.addLast(new Held(operation, index, reply, ticket, core.term(), answer));
  }

  private void release() {
    while (!held.isEmpty()) {
      Held next = held.peekFirst();
      if (!core.isServing() || next.term() != core.term()) {
        held.removeFirst(); // this member was deposed: what it did not acknowledge is in doubt
        continue;
      }
      boolean confirmed =
          core.confirmedTicket() >= next.ticket() || world.fault == Fault.READ_WITHOUT_CONFIRMATION;
      if (core.commitIndex() < next.index() || !confirmed) {
        return;
      }
      held.removeFirst();
      boolean read = next.operation().kind() == Operation.Kind.READ;
      long index = read ? next.index() : machine.apply(next.operation(), 0).index();
      answer(next, index);
    }
  }

  /** The client learns it after a while; for everyone who asks later it is known from then on. */
  private void answer(Held next, long index) {
    world.answered(next.operation(), index, next.reply(), next.answer());
  }

  void maybeCheckpoint() {
    if (pendingCheckpoint == null
        && !isWitness()
        && applied > newestIndex()
        && core.commitIndex() >= newestIndex()) {
      boolean forget = world.fault == Fault.CHECKPOINT_FORGETS_SESSIONS;
      pendingContent = total == null ? machine.checkpoint(forget) : total.checkpointOfOrder();
      pendingCheckpoint =
          SimLog.checkpoint(
              applied, log.termAt(applied), core.membershipAt(applied), pendingContent);
      log.requestForce();
      storeCheckpoint();
    }
  }

  private long newestIndex() {
    return disk.checkpoint == null ? 0 : disk.checkpoint.index();
  }

  private void storeCheckpoint() {
    Checkpoint pending = pendingCheckpoint;
    if (pending == null || pending.index() > core.stableIndex() || pending.index() > disk.durable) {
      return;
    }
    pendingCheckpoint = null;
    if (pending.index() > newestIndex()) {
      disk.keep(pending, pendingContent);
      core.compacted(pending.index());
      long through = Math.max(disk.base, pending.index() - world.random.nextInt(6));
      disk.dropThrough(through);
    }
  }

  void truncated(long fromIndex) {
    checkedCommit = Math.min(checkedCommit, fromIndex - 1);
    if (pendingCheckpoint != null && pendingCheckpoint.index() >= fromIndex) {
      pendingCheckpoint = null;
    }
    if (applied >= fromIndex) {
      applied = newestIndex();
      digests.clear();
      restore();
      for (long index = applied + 1; index < fromIndex; index++) {
        apply(index);
      }
    }
  }

  /** Brings the state to the newest checkpoint, or to the beginning. */
  private void restore() {
    if (total != null) {
      ByteBuffer state = disk.checkpoint == null ? SimTotal.initial() : disk.content;
      total.order.load(Pieces.of(state)).run();
      return;
    }
    machine = new SimMachine();
    if (disk.checkpoint != null) {
      machine.restore(disk.content);
    }
  }

  void installed(Checkpoint checkpoint) {
    if (isWitness()) {
      return;
    }
    pendingCheckpoint = null;
    digests.clear();
    restore();
    applied = checkpoint.index();
    checkedCommit = applied;
    checkState(applied);
  }

  @Override
  public void send(List<String> to, Message message) {
    for (String other : to) {
      check(!other.equals(name), "%s sends to itself", self);
      world.network.send(self, other, message);
    }
  }

  @Override
  public void save(TermRecord record) {
    disk.record = record;
    world.trace("%s stores %s", self, record);
    boolean ownVote = self.equals(record.votedFor());
    if (world.fault != Fault.VOTE_NOT_PERSISTED || ownVote || record.votedFor() == null) {
      disk.storedRecord = asClaimed(record);
    }
  }

  @Override
  public void leaderChanged(MemberId leader, long term) {
    world.trace("%s in term %d follows %s", self, term, leader);
  }

  @Override
  public void leading(long term, boolean entriesMayBeMissing) {
    world.trace("%s serves term %d", self, term);
  }

  @Override
  public void committed(long index) {
    while (applied < index) {
      apply(applied + 1);
    }
    for (long at = checkedCommit + 1; at <= index; at++) {
      world.oracle.committed(self, at, disk.entry(at));
      Long digest = digests.remove(at);
      if (disk.entry(at).kind() == EntryKind.COMMAND) {
        world.oracle.state(self, at, digest);
      }
    }
    checkedCommit = Math.max(checkedCommit, index);
  }

  @Override
  public void confirmed(long ticket) {
    // Seen in release.
  }

  @Override
  public void failed(String reason) {
    failure = reason;
    check(
        world.oracle.losses() > 0 || world.fault != Fault.NONE,
        "%s stops although nothing was lost: %s",
        self,
        reason);
  }
}
