package io.mgtm.gtm.node.engine;

import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.member.OpenLog;
import io.mgtm.group.total.OrderedLog;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.link.RefusalCode;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;

/**
 * Takes what links bring through the state and the log: all that came in one batch of the owner's
 * event loop is done together, and its replies to one link are one write. How work gets its place
 * in the log, and so where it is applied, is what the engines of leaders and of mode {@code total}
 * differ in. Owner thread.
 *
 * <p>Invariants: what a link brought is done in its order; output leaves in the order of the
 * batches, once the log covers what it shows.
 */
public abstract class LinkEngine implements CommandEngine {
  protected final EngineSetup setup;
  protected final LinkReplies replies;

  /** What is left of links that take no more now, in its order. */
  protected final StalledWork stalled = new StalledWork();

  private final EngineParts parts;
  private Deque<LinkWork> waiting = new ArrayDeque<>();
  private boolean batchAsked;
  private boolean stopped;

  protected LinkEngine(EngineSetup setup, EngineParts parts) {
    this.setup = setup;
    this.parts = parts;
    this.replies = new LinkReplies(parts.metrics(), parts.time());
  }

  /** Sessions with a link to this node. */
  public abstract int attachedSessions();

  /** How many batches wait for the group. */
  public abstract int pendingReplies();

  /** Tells all members, and through them all gateways, where this one is. */
  public abstract void announce();

  /** Called now and then. */
  public abstract void tick();

  /** Whether gateways may attach; they are answered once this node serves. */
  public abstract boolean takesGateways();

  /**
   * The term that gateways are told.
   *
   * @param ofLog that of the log's leader
   */
  public long term(long ofLog) {
    return ofLog;
  }

  /** Lets others take over before this node stops; false when there is nobody or nothing to do. */
  public abstract boolean handOver(OpenLog group);

  /** Whether others have not taken over yet. */
  public abstract boolean isNeeded(OpenLog group);

  /** This member leads: everything before is applied. */
  public abstract void leading();

  /** This member no longer leads. */
  public abstract void following();

  /** The log has committed more, see {@link ReplicatedLog.Listener}: what it covers may leave. */
  public abstract void committed(long index);

  /** The log has got on otherwise: what it covers now may leave. */
  public void release() {}

  /** As {@link OrderedLog.Listener#withdrawn}. */
  public void withdrawn(long fromNumber) {}

  /** As {@link OrderedLog.Listener#skipped}. */
  public void skipped(long toNumber) {}

  /** As {@link OrderedLog.Listener#serving}. */
  public void serving(boolean now) {}

  /**
   * Does what has come; what is left in {@code works} comes again with the next batch.
   *
   * @param works in their order, those of links that take more again first
   */
  protected abstract void batch(Deque<LinkWork> works);

  /** Whether a batch is wanted though nothing came. */
  protected boolean wantsBatch() {
    return false;
  }

  /** This node serves nothing any more. */
  protected abstract void stopped();

  @Override
  public final void submit(LinkWork work) {
    waiting.addLast(work);
    askBatch();
  }

  @Override
  public final void resume() {
    if (!stalled.isEmpty() || !waiting.isEmpty() || wantsBatch()) {
      askBatch();
    }
  }

  @Override
  public final void pull(GatewayPeer peer, long id, boolean more) {
    replies.lists().pull(peer, id, more, nowMs());
  }

  protected final boolean isStopped() {
    return stopped;
  }

  protected final long nowMs() {
    return parts.time().nowMs();
  }

  /** Runs a batch after the tasks that wait already, so that what they bring goes along. */
  protected final void askBatch() {
    if (!batchAsked) {
      batchAsked = true;
      parts.owner().execute(this::runBatch);
    }
  }

  /** Runs a task once what is under way has come to its end. */
  protected final void afterwards(Runnable task) {
    parts.owner().execute(() -> guarded(task));
  }

  private void runBatch() {
    batchAsked = false;
    guarded(
        () -> {
          Deque<LinkWork> works = waiting;
          waiting = new ArrayDeque<>();
          stalled.goOnBefore(works);
          batch(works);
          if (!works.isEmpty()) {
            works.addAll(waiting);
            waiting = works;
          }
        });
  }

  private void guarded(Runnable task) {
    if (stopped) {
      return;
    }
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      stopped = true;
      parts.fatal().accept(e);
    }
  }

  /** Refuses what was asked, of which nothing was done; what tells of an end is left. */
  protected final void turnAway(Collection<LinkWork> works) {
    BatchOutput output = new BatchOutput();
    works.removeIf(work -> isTurnedAway(work, output));
    output.writeAndFlush();
  }

  private boolean isTurnedAway(LinkWork work, BatchOutput output) {
    if (work instanceof LinkWork.Attach attach) {
      refuseToServe(output, attach.peer(), attach.session());
    } else if (work instanceof LinkWork.Commands commands) {
      refuseToServe(output, commands.peer(), commands.session());
    } else if (work instanceof LinkWork.Copy copy) {
      copy.answer().notLeading();
    }
    return !(work instanceof LinkWork.Gone || work instanceof LinkWork.Close);
  }

  /** The leadership that follows lets the gateway start over, also where this node serves. */
  protected final void refuseToServe(BatchOutput output, GatewayPeer peer, long session) {
    output.refuse(
        peer,
        session,
        RefusalCode.NOT_LEADING,
        "this node does not serve the session",
        "Attach it at a node that says it leads.");
    LinkWriter.leadership(output.to(peer), setup.leadership().get(), peer.version());
  }

  /** Serves nothing from here on, and drops what will never be acknowledged. */
  public final void abandon() {
    stopped = true;
    stopped();
    replies.clear();
  }
}
