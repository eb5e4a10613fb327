package io.mgtm.group.total;

import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.Pieces;
import io.mgtm.group.StateMachine;
import io.mgtm.group.StatePicture;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * One member's part in the total order, on top of the group's log: the leader of the log is the
 * sequencer, the others send it what they propose. No clock, thread, socket or randomness of its
 * own. Owner thread.
 *
 * <p>The sequencer applies a proposal, and then appends it with the durability that applying gave,
 * as every leader of this log does; the others apply it when it is committed. Either way each
 * member applies each proposal at the same place of the order. What a sequencer applied and the
 * group did not commit is taken back with its state ({@link #load}), and repeated.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Of each process, proposals stand in the log once, with consecutive numbers from 1.
 *   <li>The {@link OriginTable} is that of the applied prefix; a new sequencer has applied its
 *       whole log before it takes a proposal.
 *   <li>A proposal is settled when its entry is committed, in the order of numbers, never earlier.
 *   <li>Each proposal is kept, and sent again, until it is settled.
 * </ol>
 */
public final class TotalOrder implements StateMachine {
  /** Past this a message holds no further proposal: larger ones are sent in pieces. */
  private static final int BATCH_BYTES_MAX = 48 << 10;

  /** What each checkpoint begins with. */
  public static final byte CHECKPOINT_VERSION = 1;

  /** The log and the network beneath. */
  public interface Below {
    /** Whether this member leads the log and may append. */
    boolean isSequencer();

    /** Whether a member stands in the group's membership. */
    boolean isMember(MemberId member);

    /** Whether an entry of that many bytes can be appended. */
    boolean hasRoom(int bytes);

    /** The index that the next entry gets. */
    long nextIndex();

    /** Appends an entry that is applied; the answer is its index. */
    long append(ByteBuffer entry, Durability durability);

    /** Lets the others hear soon what is committed. */
    void tellCommitted();

    /** Sends a message to a member; it may be lost. */
    void send(String to, Message.OfOrder message);

    /** Sends a message to all other members; it may be lost. */
    void sendToAll(Message.OfOrder message);
  }

  /** Told of this process' proposals; see {@link OrderedLog.Listener}. */
  public interface Told {
    default void settled(long number) {}

    default void withdrawn(long fromNumber) {}

    default void skipped(long toNumber) {}
  }

  private final OrderedMachine machine;
  private final OriginTable table;
  private final Told told;
  private final ProposalWindow own;

  /** Entries of others that this sequencer has appended and not seen committed. */
  private final Deque<Long> ofOthers = new ArrayDeque<>();

  private Below below;
  private MemberId self;
  private long incarnation;
  private String sequencer;

  /** A member's part that is not connected yet: it restores and applies what its log holds. */
  public TotalOrder(
      OrderedMachine machine, OriginTable table, Told told, int proposalsMax, long bytesMax) {
    this.machine = machine;
    this.table = table;
    this.told = told;
    this.own = new ProposalWindow(proposalsMax, bytesMax);
  }

  /** The log is open. */
  public void begin(MemberId member, long ofIncarnation, Below log) {
    self = member;
    incarnation = ofIncarnation;
    below = log;
  }

  /** Proposals are told apart by the incarnation that this process began with. */
  void refuseOtherThan(long now) {
    if (now != incarnation) {
      throw ofOlderCopy();
    }
  }

  private LogException ofOlderCopy() {
    return new LogException(
        Category.IO,
        "%s was started on an older copy of its data folder, which names proposals as others were named; start it again, and it goes on"
            .formatted(self));
  }

  public boolean canPropose(int bytes) {
    return own.hasRoom(bytes);
  }

  /** Whether nothing that was proposed waits. */
  public boolean isIdle() {
    return own.isEmpty();
  }

  /**
   * Keeps a proposal; the next {@link #pump} brings it on its way.
   *
   * @param payload nobody changes it any more
   */
  public long propose(ByteBuffer payload) {
    return own.add(payload);
  }

  /** Brings proposals on their way: into the log, or to who makes the order. */
  public void pump() {
    if (below.isSequencer()) {
      sequenceOwn();
    } else if (sequencer != null && !sequencer.equals(self.name())) {
      for (long first = own.sentNumber() + 1; ; first = own.sentNumber() + 1) {
        List<ByteBuffer> batch = own.takeUnsent(BATCH_BYTES_MAX);
        if (batch.isEmpty()) {
          return;
        }
        below.send(sequencer, new Message.Proposals(incarnation, first, batch));
      }
    }
  }

  private void sequenceOwn() {
    long number = own.appliedNumber();
    for (ByteBuffer payload : own.unapplied()) {
      number++;
      ProposalEntry proposal = new ProposalEntry(self, incarnation, number, payload);
      if (!sequence(proposal)) {
        return;
      }
    }
  }

  /** False when it has no place yet: the log has no room, or one before it is missing. */
  private boolean sequence(ProposalEntry proposal) {
    OriginTable.Verdict verdict =
        table.check(proposal.origin(), proposal.incarnation(), proposal.number());
    if (verdict != OriginTable.Verdict.NEXT) {
      return verdict == OriginTable.Verdict.REPEAT;
    }
    if (!below.hasRoom(ProposalEntry.HEADER_BYTES_MAX + proposal.payload().remaining())) {
      return false;
    }
    long index = below.nextIndex();
    Durability durability = applyNext(index, proposal);
    long appended = below.append(proposal.encoded(), durability);
    if (appended != index) {
      throw new IllegalStateException(
          "a proposal was applied as entry %d and is entry %d".formatted(index, appended));
    }
    if (!proposal.origin().equals(self)) {
      ofOthers.addLast(index);
    }
    return true;
  }

  private Durability applyNext(long index, ProposalEntry proposal) {
    boolean mine = proposal.origin().equals(self) && proposal.incarnation() >= incarnation;
    if (mine && !isOwn(proposal)) {
      throw ofOlderCopy(); // of which the leader's word may be late, or lost
    }
    table.applied(proposal.origin(), proposal.incarnation(), proposal.number(), index);
    boolean wanted = mine && own.applied(proposal.number(), index);
    return proposal.payload().hasRemaining()
        ? machine.apply(index, wanted ? proposal.number() : 0, proposal.payload())
        : Durability.BUFFERED;
  }

  /** Whether this process has made a proposal that has its name, and not one before it. */
  private boolean isOwn(ProposalEntry proposal) {
    return proposal.incarnation() == incarnation && own.made(proposal.number(), proposal.payload());
  }

  /** A message of another member. */
  public void receive(MemberId from, Message.OfOrder message) {
    if (message instanceof Message.Proposals m) {
      onProposals(from, m);
    } else if (message instanceof Message.Expect m
        && from.name().equals(sequencer)
        && (m.incarnation() == 0 || m.incarnation() == incarnation)) {
      own.rewind(m.incarnation() == 0 ? 1 : m.next());
      pump();
    }
  }

  private void onProposals(MemberId from, Message.Proposals m) {
    if (!below.isSequencer() || !below.isMember(from)) {
      return;
    }
    long number = m.first();
    for (ByteBuffer payload : m.payloads()) {
      ProposalEntry proposal = new ProposalEntry(from, m.incarnation(), number, payload);
      if (!sequence(proposal)) {
        long next = table.last(from, m.incarnation()) + 1;
        if (next < number) {
          below.send(from.name(), new Message.Expect(m.incarnation(), next));
        }
        return;
      }
      number++;
    }
  }

  /** This member leads the log and has applied all of it. */
  public void leading() {
    sequencer = self.name();
    below.sendToAll(new Message.Expect(0, 0));
    pump();
  }

  /** Another member leads the log, or, when null, none that is known. */
  public void following(String leader) {
    sequencer = leader;
    ofOthers.clear();
    repeat();
  }

  /** Sends again all that is not settled: what was sent may be lost. */
  public void repeat() {
    own.rewind(1);
    pump();
  }

  /** Entries up to an index are committed. Not called from within the log. */
  public void committed(long index) {
    boolean awaited = false;
    while (!ofOthers.isEmpty() && ofOthers.peekFirst() <= index) {
      ofOthers.removeFirst();
      awaited = true;
    }
    if (awaited && below.isSequencer()) {
      below.tellCommitted();
    }
    if (own.committed(index)) {
      told.settled(own.settledNumber());
    }
  }

  @Override
  public void apply(long index, ByteBuffer payload) {
    ProposalEntry proposal = ProposalEntry.decode(payload);
    switch (table.check(proposal.origin(), proposal.incarnation(), proposal.number())) {
      case NEXT -> applyNext(index, proposal);
      case REPEAT -> {
        // It had its place before.
      }
      case GAP ->
          throw new IllegalStateException(
              "entry %d is proposal %d of %s, and %d were applied"
                  .formatted(
                      index,
                      proposal.number(),
                      proposal.origin(),
                      table.last(proposal.origin(), proposal.incarnation())));
    }
  }

  @Override
  public void entriesMayBeMissing(long index, boolean keptByClients) {
    machine.entriesMayBeMissing(index, keptByClients);
  }

  @Override
  public StatePicture picture() {
    return picture(table, machine.picture());
  }

  /** {@code | version:u8=1 | origins | state |}. */
  public static StatePicture picture(OriginTable table, StatePicture state) {
    byte[] origins = table.encoded();
    return pieces -> {
      pieces.accept(ByteBuffer.wrap(new byte[] {CHECKPOINT_VERSION}));
      pieces.accept(ByteBuffer.wrap(origins));
      state.writeTo(pieces);
    };
  }

  @Override
  public Runnable load(Pieces encoded) {
    OriginTable loaded = new OriginTable();
    try {
      encoded.head(
          from -> {
            byte version = from.get();
            if (version != CHECKPOINT_VERSION) {
              throw new LogException(
                  Category.FORMAT,
                  "The checkpoint has version %d and this program reads %d in mode total; start the newer program, or the mode of the member's group"
                      .formatted(version, CHECKPOINT_VERSION));
            }
            loaded.restore(from);
          });
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw LogException.damaged("The checkpoint's table of origins is damaged", e);
    }
    Runnable state = machine.load(encoded);
    return () -> {
      state.run();
      table.become(loaded);
      restored();
    };
  }

  private void restored() {
    long has = self == null ? 0 : table.last(self, incarnation);
    long applied = own.appliedNumber();
    long stays = Math.max(has, own.settledNumber());
    ofOthers.clear();
    if (has > own.lastNumber()) {
      throw ofOlderCopy();
    }
    if (own.restored(has)) {
      told.skipped(has);
    } else if (applied > stays) {
      told.withdrawn(stays + 1);
    }
  }
}
