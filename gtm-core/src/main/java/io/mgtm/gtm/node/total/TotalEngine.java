package io.mgtm.gtm.node.total;

import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.total.OrderedLog;
import io.mgtm.gtm.node.engine.BatchOutput;
import io.mgtm.gtm.node.engine.CommandEngine;
import io.mgtm.gtm.node.engine.EngineTime;
import io.mgtm.gtm.node.engine.EntryWriter;
import io.mgtm.gtm.node.engine.GatewayPeer;
import io.mgtm.gtm.node.engine.LinkWork;
import io.mgtm.gtm.node.engine.RequestMetrics;
import io.mgtm.gtm.node.engine.StalledWork;
import io.mgtm.gtm.wire.link.RefusalCode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes what links bring through the order of a group in mode {@code total}. All that came in one
 * batch of the owner's event loop is one proposal, if it fits; at its place in the order it is
 * applied and its replies are made, and they leave, one write for each link, when it is settled.
 * Owner thread.
 *
 * <p>Invariants: replies leave in the order of the proposals; each shows the state at its
 * proposal's place; what comes by a link that is not its session's any more is not done.
 */
public final class TotalEngine implements CommandEngine, TotalMachine.OwnBatches {
  private static final Logger log = LoggerFactory.getLogger(TotalEngine.class);

  /** Replies to own proposals that are under way, about; no more is proposed meanwhile. */
  private static final long REPLY_BYTES_MAX = 32 << 20;

  /** How long a member is not here before its sessions' links are taken for gone. */
  private static final long GONE_MS = 3_000;

  private final TotalSetup setup;
  private final OrderedGtm gtm;
  private final OrderedLog ordered;
  private final Executor owner;
  private final EngineTime time;
  private final RequestMetrics metrics;
  private final Consumer<Throwable> fatal;
  private final GroupBeginning beginning;
  private final AttachmentWatch watch;
  private final LocalAttachments attached = new LocalAttachments();
  private final TotalReplies replies;
  private final BatchWriter writer;
  private final Deque<TotalBatch> batches = new ArrayDeque<>();
  private final Deque<MemberOp> ops = new ArrayDeque<>();
  private final Deque<LinkWork> waiting = new ArrayDeque<>();

  /** What came by links that take no more now, in its order. */
  private final StalledWork stalled = new StalledWork();

  private MemberOp.Begin begin;
  private boolean begun;
  private boolean batchAsked;
  private boolean retiring;
  private boolean stopped;

  public TotalEngine(
      TotalSetup setup,
      OrderedGtm gtm,
      OrderedLog ordered,
      GroupBeginning beginning,
      Executor owner,
      EngineTime time,
      RequestMetrics metrics,
      Consumer<Throwable> fatal) {
    this.setup = setup;
    this.gtm = gtm;
    this.ordered = ordered;
    this.beginning = beginning;
    this.owner = owner;
    this.time = time;
    this.metrics = metrics;
    this.fatal = fatal;
    this.watch = new AttachmentWatch(setup.graceMs(), GONE_MS);
    this.writer = new BatchWriter(setup.limits());
    this.replies = new TotalReplies(gtm, setup.leadership(), attached, metrics, time);
  }

  @Override
  public boolean isServing() {
    return begun && !retiring && !stopped && ordered.isServing() && gtm.state().started();
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
  public void submit(LinkWork work) {
    waiting.addLast(work);
    askBatch();
  }

  @Override
  public void resume() {
    if (!stalled.isEmpty()) {
      List<LinkWork> came = List.copyOf(waiting);
      waiting.clear();
      waiting.addAll(stalled.before(came));
      askBatch();
    }
  }

  @Override
  public void pull(GatewayPeer peer, long id, boolean more) {
    replies.lists().pull(peer, id, more, nowMs());
  }

  private long nowMs() {
    return time.nowMs();
  }

  private void askBatch() {
    if (!batchAsked) {
      batchAsked = true;
      owner.execute(this::batch);
    }
  }

  private void batch() {
    batchAsked = false;
    if (stopped) {
      return;
    }
    try {
      if (!isServing()) {
        turnAway();
      }
      while (hasWork() && mayPropose()) {
        propose();
      }
    } catch (RuntimeException | Error e) {
      stopped = true;
      fatal.accept(e);
    }
  }

  private boolean mayPropose() {
    long promised = 0;
    for (TotalBatch batch : batches) {
      promised += batch.replyBytes();
    }
    return promised < REPLY_BYTES_MAX && ordered.canPropose(EntryWriter.ENTRY_BYTES_MAX);
  }

  /** What is left of commands waits behind the link's socket, and then goes on as it came. */
  private void stallRest() {
    long attachment = writer.restAttachment();
    LinkWork.Commands rest = writer.dropRest();
    LocalAttachments.LocalAttachment local = attached.open(rest.session(), rest.peer());
    if (local != null && local.attachment == attachment) {
      local.next = rest.first();
      stalled.add(rest);
    }
  }

  private boolean hasWork() {
    return writer.hasRest() || !ops.isEmpty() || !waiting.isEmpty();
  }

  /** Tells the links that this node does not serve; what ends there is still told to the group. */
  private void turnAway() {
    BatchOutput output = new BatchOutput();
    List<LinkWork> kept = new ArrayList<>();
    LinkWork.Commands rest = writer.dropRest();
    if (rest != null) {
      replies.refuseNotServing(output, rest.peer(), rest.session());
    }
    resume();
    for (LinkWork work : waiting) {
      if (work instanceof LinkWork.Attach attach) {
        replies.refuseNotServing(output, attach.peer(), attach.session());
      } else if (work instanceof LinkWork.Commands commands) {
        replies.refuseNotServing(output, commands.peer(), commands.session());
      } else if (work instanceof LinkWork.Copy copy) {
        copy.answer().notLeading();
      } else {
        kept.add(work);
      }
    }
    waiting.clear();
    waiting.addAll(kept);
    output.write();
    output.flush();
  }

  private void propose() {
    if (writer.isRestStalled()) {
      stallRest();
    }
    boolean fits = writer.begin(time.micros().getAsLong());
    while (fits && !ops.isEmpty()) {
      fits = writer.add(null, ops.peekFirst());
      if (fits) {
        ops.removeFirst();
      }
    }
    while (fits && !waiting.isEmpty()) {
      fits = take(waiting.peekFirst());
    }
    TotalBatch batch = writer.batch();
    if (!batch.isEmpty()) {
      batch.proposed(ordered.propose(writer.bytes()));
      batches.addLast(batch);
    }
  }

  /** False when the proposal is full; the work stays, or the rest of it. */
  private boolean take(LinkWork work) {
    if (!writer.hasSpace()) {
      return false;
    }
    waiting.removeFirst();
    if (stalled.isBehind(work)) {
      stalled.add(work);
    } else if (work instanceof LinkWork.Commands c) {
      LocalAttachments.LocalAttachment local = attached.open(c.session(), c.peer());
      return !isInOrder(c, local) || writer.add(c, local.attachment);
    } else if (work instanceof LinkWork.Attach a) {
      attach(a);
    } else if (work instanceof LinkWork.Close c) {
      LocalAttachments.LocalAttachment local = attached.of(c.session(), c.peer());
      if (local != null) {
        attached.forget(c.session(), c.peer());
        writer.add(c.peer(), new MemberOp.Close(c.session(), local.attachment));
      }
    } else if (work instanceof LinkWork.Gone gone) {
      stalled.gone(gone.peer());
      replies.gone(gone.peer());
      ops.addAll(attached.gone(gone.peer()));
      askBatch();
    } else if (work instanceof LinkWork.Copy copy) {
      writer.add(copy.answer());
    }
    return true;
  }

  private void attach(LinkWork.Attach work) {
    long attachment = setup.attachments().nextLong() | 1;
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
      replies.refuseNotServing(output, work.peer(), work.session());
      output.write();
      output.flush();
      return false;
    }
    String disorder = work.disorder(local.next);
    if (disorder != null) {
      output.refuse(work.peer(), work.session(), RefusalCode.PROTOCOL, disorder, "");
      output.write();
      output.flush();
      ops.addAll(attached.gone(work.peer()));
      askBatch();
      work.peer().disconnect();
      return false;
    }
    local.next = work.next();
    return true;
  }

  @Override
  public boolean apply(long number, long index, OrderedGtm to) {
    for (TotalBatch batch : batches) {
      if (batch.number() == number) {
        replies.apply(batch, index);
        return true;
      }
    }
    return false;
  }

  /** Own proposals up to a number are settled: their replies leave. */
  public void settled(long number) {
    List<TotalBatch> released = new ArrayList<>();
    while (!batches.isEmpty() && batches.peekFirst().number() <= number) {
      released.add(batches.removeFirst());
    }
    beginning.settled(number);
    for (TotalBatch batch : released) {
      batch.admit(attached);
      batch.write(metrics);
    }
    for (TotalBatch batch : released) {
      batch.flush();
      if (begin != null && !begun && batch.holds(begin)) {
        begun = true;
        setup.changed().run();
      }
    }
    resume();
    if (hasWork()) {
      askBatch();
    }
  }

  /** Own proposals from a number on have lost their places. */
  public void withdrawn(long fromNumber) {
    replies.changed();
    batches.stream().filter(batch -> batch.number() >= fromNumber).forEach(TotalBatch::reset);
  }

  /**
   * Own proposals took effect at places that this member never saw: their replies cannot be made
   * here. All sessions are to be attached anew, and what was not answered repeated; the state has
   * the replies of what had an effect.
   */
  public void skipped() {
    replies.changed();
    batches.forEach(TotalBatch::reset);
    List<TotalBatch> lost = List.copyOf(batches);
    batches.clear();
    boolean beginSkipped = begin != null && !begun && lost.stream().anyMatch(t -> t.holds(begin));
    if (beginSkipped) {
      begin = null;
    }
    owner.execute(this::shutDoors);
  }

  private void shutDoors() {
    if (stopped) {
      return;
    }
    log.warn("This member was given a newer state; its gateways attach anew");
    BatchOutput output = new BatchOutput();
    attached.shutAll((session, peer) -> replies.refuseNotServing(output, peer, session));
    output.write();
    output.flush();
    announce();
  }

  /** What this member proposes comes back, or no longer does. */
  public void serving() {
    announce();
    if (!ordered.isServing()) {
      askBatch();
    }
    setup.changed().run();
  }

  /** This member makes the order from now on, or no longer. */
  public void sequencing(boolean now) {
    watch.clear();
    if (now) {
      tick();
    } else {
      beginning.stop();
    }
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
    if (stopped) {
      return;
    }
    announce();
    replies.lists().tick(nowMs());
    if (!ordered.isSequencer()) {
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

  /** Serves nobody new: gateways go to another member, and what waits comes to its end. */
  public void retire() {
    retiring = true;
    setup.changed().run();
  }

  @Override
  public void abandon() {
    stopped = true;
    batches.forEach(TotalBatch::reset);
    batches.clear();
    replies.clear();
  }
}
