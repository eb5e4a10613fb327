package io.mgtm.gtm.node.total;

import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.member.OpenLog;
import io.mgtm.group.total.OrderedLog;
import io.mgtm.gtm.node.engine.BatchOutput;
import io.mgtm.gtm.node.engine.EngineParts;
import io.mgtm.gtm.node.engine.EngineSetup;
import io.mgtm.gtm.node.engine.EngineTime;
import io.mgtm.gtm.node.engine.EntryWriter;
import io.mgtm.gtm.node.engine.GatewayPeer;
import io.mgtm.gtm.node.engine.LinkEngine;
import io.mgtm.gtm.node.engine.LinkWork;
import io.mgtm.gtm.node.engine.PendingReplies;
import io.mgtm.gtm.wire.link.RefusalCode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine of mode {@code total}, where every member takes commands: a batch is one proposal, if
 * it fits; at its place in the order it is applied and its replies are made, and they leave when it
 * is settled. Owner thread.
 *
 * <p>Invariants: replies leave in the order of the proposals; each shows the state at its
 * proposal's place; what comes by a link that is not its session's any more is not done.
 */
public final class TotalEngine extends LinkEngine implements OrderedGtm.OwnBatches {
  private static final Logger log = LoggerFactory.getLogger(TotalEngine.class);

  /** Replies to own proposals that are under way, about; no more is proposed meanwhile. */
  private static final long REPLY_BYTES_MAX = 32 << 20;

  /** How long a member is not here before its sessions' links are taken for gone. */
  private static final long GONE_MS = 3_000;

  /** The term that gateways are told at all times, so that they stay where they are. */
  private static final long STANDING_TERM = 1;

  private final OrderedGtm gtm;
  private final OrderedLog ordered;
  private final EngineTime time;
  private final GroupBeginning beginning;
  private final AttachmentWatch watch;
  private final LocalAttachments attached = new LocalAttachments();
  private final TotalReplies results;
  private final PendingReplies held;
  private final BatchWriter writer;
  private final Deque<TotalBatch> batches = new ArrayDeque<>();
  private final Deque<MemberOp> ops = new ArrayDeque<>();

  private MemberOp.Begin begin;
  private boolean begun;
  private boolean retiring;

  /** An engine that proposes nothing before it is told to {@link #announce}. */
  public TotalEngine(EngineSetup setup, OrderedGtm gtm, OrderedLog ordered, EngineParts parts) {
    super(setup, parts);
    this.gtm = gtm;
    this.ordered = ordered;
    this.time = parts.time();
    this.beginning = new GroupBeginning(setup.firstCommands(), setup.restore(), time.micros());
    this.watch = new AttachmentWatch(setup.graceMs(), GONE_MS);
    this.writer = new BatchWriter(setup.limits());
    this.held = new PendingReplies(parts.metrics(), () -> true);
    this.results = new TotalReplies(gtm, attached, replies, this::refuseToServe);
    gtm.serve(this);
  }

  @Override
  public boolean isServing() {
    return begun && !retiring && !isStopped() && ordered.isServing() && gtm.state().started();
  }

  @Override
  public int attachedSessions() {
    return gtm.attachments().attachedTo(setup.member());
  }

  @Override
  public int pendingReplies() {
    return batches.size();
  }

  @Override
  public boolean takesGateways() {
    return isServing();
  }

  @Override
  public boolean decides() {
    return ordered.isLeading();
  }

  @Override
  public long term(long ofLog) {
    return STANDING_TERM;
  }

  /** Serves nobody new: gateways go to another member, and what waits comes to its end. */
  @Override
  public boolean handOver(OpenLog group) {
    if (group.status().successors().findAny().isEmpty()) {
      return false;
    }
    retiring = true;
    setup.changed().run();
    if (decides()) {
      group.handOver().ifPresent(name -> log.info("{} is to make the order", name));
    }
    return true;
  }

  @Override
  public boolean isNeeded(OpenLog group) {
    return decides() || pendingReplies() > 0;
  }

  @Override
  protected boolean wantsBatch() {
    return !ops.isEmpty();
  }

  @Override
  protected void batch(Deque<LinkWork> works) {
    if (!isServing()) {
      turnAway(works);
    }
    while ((!ops.isEmpty() || !works.isEmpty()) && mayPropose()) {
      propose(works);
    }
  }

  private boolean mayPropose() {
    long promised = 0;
    for (TotalBatch batch : batches) {
      promised += batch.replyBytes();
    }
    return promised < REPLY_BYTES_MAX && ordered.canPropose(EntryWriter.ENTRY_BYTES_MAX);
  }

  private void propose(Deque<LinkWork> works) {
    writer.begin(time.micros().getAsLong());
    boolean fits = true;
    while (fits && !ops.isEmpty()) {
      fits = writer.add(null, ops.peekFirst());
      if (fits) {
        ops.removeFirst();
      }
    }
    while (fits && !works.isEmpty()) {
      fits = writer.hasSpace() && take(works.removeFirst(), works);
    }
    TotalBatch batch = writer.batch();
    if (!batch.isEmpty()) {
      batch.proposed(ordered.propose(writer.bytes()));
      batches.addLast(batch);
    }
  }

  /** False when the proposal is full; what is left of the work goes to the head of the others. */
  private boolean take(LinkWork work, Deque<LinkWork> others) {
    if (stalled.isBehind(work)) {
      stalled.add(work);
    } else if (work instanceof LinkWork.Commands c) {
      LocalAttachments.LocalAttachment local = attached.open(c.session(), c.peer());
      return !isInOrder(c, local) || add(c, local, others);
    } else if (work instanceof LinkWork.Attach a) {
      attach(a);
    } else if (work instanceof LinkWork.Close c) {
      LocalAttachments.LocalAttachment local = attached.of(c.session(), c.peer());
      if (local != null) {
        attached.forget(c.session(), local.attachment);
        writer.add(c.peer(), new MemberOp.Close(c.session(), local.attachment));
      }
    } else if (work instanceof LinkWork.Gone gone) {
      stalled.gone(gone.peer());
      replies.gone(gone.peer());
      ops.addAll(attached.gone(gone.peer()));
    } else if (work instanceof LinkWork.Copy copy) {
      writer.add(copy.answer());
    }
    return true;
  }

  private boolean add(
      LinkWork.Commands work, LocalAttachments.LocalAttachment local, Deque<LinkWork> others) {
    int done = writer.add(work, local.attachment);
    local.next = work.first() + done;
    boolean all = done == work.commands().size();
    if (!all) {
      others.addFirst(work.from(done));
    }
    return all;
  }

  private void attach(LinkWork.Attach work) {
    long attachment = setup.random().nextLong() | 1;
    GatewayPeer peer = work.peer();
    attached.open(work.session(), peer, attachment);
    writer.add(
        peer,
        new MemberOp.Attach(
            setup.member(),
            work.session(),
            attachment,
            work.fresh(),
            work.proxied(),
            peer.gateway(),
            peer.kind(),
            setup.sessionsMax()));
  }

  /** False when the commands cannot be done as they came; the link has been told. */
  private boolean isInOrder(LinkWork.Commands work, LocalAttachments.LocalAttachment local) {
    BatchOutput output = new BatchOutput();
    if (local == null) {
      refuseToServe(output, work.peer(), work.session());
      output.writeAndFlush();
      return false;
    }
    String disorder = work.disorder(local.next);
    if (disorder != null) {
      output.refuse(work.peer(), work.session(), RefusalCode.PROTOCOL, disorder, "");
      output.writeAndFlush();
      ops.addAll(attached.gone(work.peer()));
      work.peer().disconnect();
    }
    return disorder == null;
  }

  @Override
  public boolean apply(long number, long index) {
    for (TotalBatch batch : batches) {
      if (batch.number() == number) {
        List<Runnable> then = new ArrayList<>(0);
        BatchOutput output = results.apply(batch, index, then);
        held.add(output, number, 0, then, batch.commands(), batch.nanos());
        return true;
      }
    }
    return false;
  }

  @Override
  public void moved(long session, long attachment) {
    if (attached.moved(session, attachment)) {
      afterwards(this::tellMoved);
    }
  }

  private void tellMoved() {
    if (!attached.hasMoved()) {
      return;
    }
    BatchOutput output = new BatchOutput();
    attached.takeMoved((session, peer) -> refuseToServe(output, peer, session));
    output.writeAndFlush();
  }

  /** Own proposals up to a number are settled: their replies leave. */
  @Override
  public void committed(long number) {
    boolean began = false;
    beginning.settled(number);
    while (!batches.isEmpty() && batches.peekFirst().number() <= number) {
      TotalBatch batch = batches.removeFirst();
      batch.admit(attached);
      began |= begin != null && !begun && batch.holds(begin);
    }
    held.release(number);
    tellMoved();
    if (began) {
      begun = true;
      setup.changed().run();
    }
    resume();
  }

  @Override
  public void withdrawn(long fromNumber) {
    replies.changed();
    held.dropFrom(fromNumber);
  }

  /**
   * The replies cannot be made here. All sessions are to be attached anew, and what was not
   * answered repeated; the state has the replies of what had an effect. What was proposed before
   * may still attach some, so this member proposes another Begin, which ends those attachments.
   */
  @Override
  public void skipped(long toNumber) {
    replies.changed();
    held.drop();
    batches.clear();
    begin = null;
    begun = false;
    afterwards(this::shutDoors);
  }

  private void shutDoors() {
    log.warn("This member was given a newer state; its gateways attach anew");
    BatchOutput output = new BatchOutput();
    attached.shutAll((session, peer) -> refuseToServe(output, peer, session));
    output.writeAndFlush();
    announce();
    setup.changed().run();
  }

  @Override
  public void serving(boolean now) {
    announce();
    if (!now) {
      askBatch();
    }
    setup.changed().run();
  }

  @Override
  public void leading() {
    watch.clear();
    tick();
  }

  @Override
  public void following() {
    watch.clear();
    beginning.stop();
  }

  /** The first thing that a process proposes; until it is settled, nothing is served. */
  @Override
  public void announce() {
    String address = setup.address().get();
    if (begin == null && ordered.isServing() && !address.isEmpty()) {
      begin = new MemberOp.Begin(setup.member(), address);
      ops.addLast(begin);
      askBatch();
    }
  }

  @Override
  public void tick() {
    if (isStopped()) {
      return;
    }
    announce();
    replies.lists().tick(nowMs());
    if (!decides()) {
      return;
    }
    beginning.next(gtm.state(), ordered).ifPresent(ops::addLast);
    if (ops.isEmpty()) {
      ops.addAll(watch.due(gtm.state().gateways(), gtm.attachments(), membersHere(), nowMs()));
    }
    if (!ops.isEmpty()) {
      askBatch();
    }
  }

  /** Not one that was taken out: it can be connected, and tells the group of no link that ends. */
  private List<String> membersHere() {
    GroupStatus status = ordered.status();
    return status.members().stream()
        .map(GroupStatus.Member::name)
        .filter(status.connected()::contains)
        .toList();
  }

  @Override
  protected void stopped() {
    held.drop();
    batches.clear();
  }
}
