package io.mgtm.group.core.sim;

import static io.mgtm.group.core.sim.Violation.check;

import io.mgtm.group.Durability;
import io.mgtm.group.Pieces;
import io.mgtm.group.StatePicture;
import io.mgtm.group.core.Entry;
import io.mgtm.group.core.EntryKind;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.TermStart;
import io.mgtm.group.total.OrderedMachine;
import io.mgtm.group.total.OriginTable;
import io.mgtm.group.total.ProposalEntry;
import io.mgtm.group.total.TotalMessage;
import io.mgtm.group.total.TotalOrder;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * What a node runs on top of its core in mode total: any node takes requests, as proposals. Each
 * proposal also carries a mark of its own, from which the state sees when one comes twice or out of
 * its order, whatever the code under test believes.
 *
 * <pre>
 * proposal: | process:i64 | count:i64 | {@link Operation} |
 * </pre>
 */
final class SimTotal implements OrderedMachine, TotalOrder.Told, TotalOrder.Below {
  private static final int MARK_BYTES = 16;
  private static final int WINDOW = 6;

  private final GroupSimulation world;
  private final SimNode node;
  private final OriginTable table;
  final TotalOrder order;

  /** The state: how many proposals of each process were applied. */
  private final Map<Long, Long> counts = new TreeMap<>();

  private final long process;
  private long count;
  private final TreeMap<Long, Waiting> waiting = new TreeMap<>();
  private final TreeMap<Long, Made> made = new TreeMap<>();
  private boolean served;
  private long servedTerm;
  private MemberId followed;
  private long committed;
  private boolean flushAsked;

  private record Waiting(Operation operation, LongConsumer answer) {}

  private record Made(long index, long reply) {}

  SimTotal(GroupSimulation world, SimNode node) {
    this.world = world;
    this.node = node;
    this.process = world.random.nextLong();
    this.table = world.fault == Fault.REPEATED_PROPOSAL_NOT_DROPPED ? forgetful() : newTable();
    this.order = new TotalOrder(this, table, this, WINDOW, 1 << 20);
  }

  private static OriginTable newTable() {
    return new OriginTable();
  }

  private static OriginTable forgetful() {
    return new OriginTable() {
      @Override
      public Verdict check(MemberId from, long incarnation, long number) {
        Verdict verdict = super.check(from, incarnation, number);
        return verdict == Verdict.REPEAT ? Verdict.NEXT : verdict;
      }
    };
  }

  /** What an entry asks for; null when it is no operation. */
  static Operation operationOf(Entry entry) {
    if (entry.kind() != EntryKind.COMMAND) {
      return null;
    }
    if (!isProposal(entry)) {
      return Operation.decode(entry.payload());
    }
    ByteBuffer payload = ProposalEntry.decode(entry.payload()).payload();
    return payload.hasRemaining()
        ? Operation.decode(payload.slice(MARK_BYTES, payload.remaining() - MARK_BYTES))
        : null;
  }

  static boolean isProposal(Entry entry) {
    return entry.kind() == EntryKind.COMMAND && entry.payload().get(0) < 0;
  }

  void begin(long incarnation) {
    order.begin(node.self(), incarnation, this);
    committed = 0;
  }

  void apply(Entry entry, long index) {
    if (entry.kind() == EntryKind.COMMAND) {
      order.apply(index, entry.payload());
    } else if (entry.kind() == EntryKind.TERM_START
        && TermStart.decode(entry.payload().duplicate()).entriesMayBeMissing()) {
      order.entriesMayBeMissing(index);
    }
  }

  /** A client's request. */
  void request(Operation operation, LongConsumer answer) {
    ByteBuffer payload = ByteBuffer.allocate(64);
    payload.putLong(process).putLong(count + 1).put(operation.encoded()).flip();
    if (!order.canPropose(payload.remaining())) {
      answer.accept(-1);
      return;
    }
    count++;
    waiting.put(order.propose(payload), new Waiting(operation, answer));
    world.after(world.random.nextInt(3), () -> node.step(order::pump));
  }

  /** Now and then: sends again what waits, or takes a place for nothing. */
  void tick() {
    int what = world.random.nextInt(12);
    if (what < 3 && !order.isIdle()) {
      order.repeat();
    } else if (what == 3 && order.canPropose(0) && !world.isCalm()) {
      waiting.put(order.propose(ByteBuffer.allocate(0)), new Waiting(null, null));
      order.pump();
    }
  }

  void receive(MemberId from, TotalMessage message) {
    order.receive(from, message);
  }

  /** What the core has become by its last input. */
  void afterStep() {
    boolean serves = node.core.isServing();
    if (serves && (!served || servedTerm != node.core.term())) {
      servedTerm = node.core.term();
      followed = node.self();
      order.leading();
    } else if (!serves && (served || changedLeader())) {
      followed = node.core.leader();
      order.following(followed == null ? null : followed.name());
    }
    served = serves;
    if (node.core.commitIndex() != committed) {
      committed = node.core.commitIndex();
      order.committed(committed);
    }
  }

  private boolean changedLeader() {
    MemberId leader = node.core.leader();
    return !node.self().equals(leader) && !java.util.Objects.equals(leader, followed);
  }

  @Override
  public Durability apply(long index, long own, ByteBuffer payload) {
    long of = payload.getLong(payload.position());
    long number = payload.getLong(payload.position() + 8);
    long before = counts.getOrDefault(of, 0L);
    check(number == before + 1, "proposal %d of %d is applied after %d", number, of, before);
    counts.put(of, number);
    Operation operation =
        Operation.decode(
            payload.slice(payload.position() + MARK_BYTES, payload.remaining() - MARK_BYTES));
    Durability durability = Durability.BUFFERED;
    Made reply;
    if (operation.kind() == Operation.Kind.READ) {
      reply = new Made(index, node.machine.registers[operation.register()]);
    } else {
      SimMachine.Result result = node.machine.apply(operation, index);
      durability = result.durability();
      reply = new Made(result.index(), result.reply());
    }
    if (own != 0) {
      check(waiting.get(own).operation().equals(operation), "own proposal %d is another", own);
      made.put(own, reply);
      if (world.fault == Fault.ACKNOWLEDGE_BEFORE_MAJORITY) {
        world.answered(operation, reply.index(), reply.reply(), waiting.get(own).answer());
      }
    }
    return world.fault == Fault.AHEAD_TAKEN_FOR_BUFFERED && durability == Durability.AHEAD
        ? Durability.BUFFERED
        : durability;
  }

  @Override
  public void settled(long number) {
    Map<Long, Waiting> done = waiting.headMap(number, true);
    done.forEach(
        (own, next) -> {
          Made reply = made.remove(own);
          if (next.operation() != null && world.fault != Fault.ACKNOWLEDGE_BEFORE_MAJORITY) {
            check(reply != null, "%s: proposal %d is settled and not applied", node.self(), own);
            answer(next, reply);
          }
        });
    done.clear();
  }

  private void answer(Waiting to, Made reply) {
    Operation operation = to.operation();
    long value = reply.reply();
    if (world.fault == Fault.REPLY_FROM_A_LATER_STATE && operation.kind() == Operation.Kind.READ) {
      value = node.machine.registers[operation.register()];
    }
    world.answered(operation, reply.index(), value, to.answer());
  }

  @Override
  public void withdrawn(long fromNumber) {
    made.tailMap(fromNumber, true).clear();
  }

  @Override
  public void skipped(long toNumber) {
    waiting.headMap(toNumber, true).entrySet().removeIf(e -> !made.containsKey(e.getKey()));
  }

  @Override
  public StatePicture picture() {
    byte[] registers = new byte[node.machine.checkpoint(false).remaining()];
    node.machine.checkpoint(false).get(registers);
    ByteBuffer to = ByteBuffer.allocate(8 + registers.length + 16 * counts.size());
    to.putInt(registers.length).put(registers).putInt(counts.size());
    counts.forEach((of, number) -> to.putLong(of).putLong(number));
    return StatePicture.of(to.array());
  }

  ByteBuffer checkpointOfOrder() {
    StatePicture picture =
        world.fault == Fault.CHECKPOINT_FORGETS_ORIGINS
            ? TotalOrder.picture(newTable(), picture())
            : order.picture();
    return ByteBuffer.wrap(picture.bytes());
  }

  /** The state before the first entry. */
  static ByteBuffer initial() {
    byte[] registers = new SimMachine().checkpoint(false).array();
    ByteBuffer state = ByteBuffer.allocate(8 + registers.length);
    state.putInt(registers.length).put(registers).putInt(0);
    return ByteBuffer.wrap(TotalOrder.picture(newTable(), StatePicture.of(state.array())).bytes());
  }

  @Override
  public Runnable load(Pieces encoded) {
    ByteBuffer state = encoded.rest();
    return () -> restore(state);
  }

  private void restore(ByteBuffer from) {
    int bytes = from.getInt();
    node.machine = new SimMachine();
    node.machine.restore(from.slice(from.position(), bytes));
    from.position(from.position() + bytes);
    counts.clear();
    for (int left = from.getInt(); left > 0; left--) {
      counts.put(from.getLong(), from.getLong());
    }
  }

  @Override
  public void entriesMayBeMissing(long index) {
    node.machine.entriesMayBeMissing();
  }

  @Override
  public boolean isSequencer() {
    return node.core.isServing();
  }

  @Override
  public boolean isMember(MemberId member) {
    return node.core.membership().contains(member);
  }

  @Override
  public boolean hasRoom(int bytes) {
    return world.isCalm() || world.random.nextInt(64) > 0;
  }

  @Override
  public long nextIndex() {
    return node.disk.last() + 1;
  }

  @Override
  public long append(ByteBuffer entry, Durability durability) {
    long index = node.core.append(entry, durability);
    node.appendedAndApplied(index);
    flushSoon();
    return index;
  }

  @Override
  public void tellCommitted() {
    node.core.confirm();
    flushSoon();
  }

  private void flushSoon() {
    if (!flushAsked) {
      flushAsked = true;
      world.after(
          world.random.nextInt(3),
          () -> {
            flushAsked = false;
            node.step(() -> node.core.flush(world.nowMs()));
          });
    }
  }

  @Override
  public void send(String to, TotalMessage message) {
    world.network.send(node.self(), to, message);
  }

  @Override
  public void sendToAll(TotalMessage message) {
    world.nodes().keySet().stream()
        .filter(name -> !name.equals(node.name))
        .forEach(name -> send(name, message));
  }
}
