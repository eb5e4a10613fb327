package io.mgtm.gtm.node.total;

import io.mgtm.group.StatePicture;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.node.engine.BatchOutput;
import io.mgtm.gtm.node.engine.EngineTime;
import io.mgtm.gtm.node.engine.GatewayPeer;
import io.mgtm.gtm.node.engine.LinkReplies;
import io.mgtm.gtm.node.engine.LongLists;
import io.mgtm.gtm.node.engine.RequestMetrics;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkCommand;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.link.RefusalCode;
import java.util.function.Supplier;

/**
 * Writes what the links get for the ops of a batch, from the state as it is at the batch's place in
 * the order. Owner thread.
 */
final class TotalReplies implements OpResults {
  private final OrderedGtm gtm;
  private final Supplier<Leadership> leadership;
  private final LocalAttachments attached;
  private final LinkReplies replies;
  private BatchOutput output;
  private GatewayPeer peer;

  TotalReplies(
      OrderedGtm gtm,
      Supplier<Leadership> leadership,
      LocalAttachments attached,
      RequestMetrics metrics,
      EngineTime time) {
    this.gtm = gtm;
    this.leadership = leadership;
    this.attached = attached;
    this.replies = new LinkReplies(metrics, time);
  }

  /** Applies a batch of this member at its place. */
  void apply(TotalBatch batch, long index) {
    output = batch.output();
    for (TotalBatch.Item item : batch.items()) {
      peer = item.peer();
      if (item.copy() != null) {
        StatePicture state = gtm.statePicture();
        batch.afterwards(() -> item.copy().copied(index, state));
      } else {
        gtm.apply(index, item.op(), peer == null ? OpResults.NONE : this);
      }
    }
    batch.applied();
  }

  /** The state was replaced, or this member no longer serves. */
  void changed() {
    replies.changed();
  }

  /** This member serves nothing any more. */
  void clear() {
    replies.clear();
  }

  /** A link has ended. */
  void gone(GatewayPeer link) {
    replies.gone(link);
  }

  LongLists lists() {
    return replies.lists();
  }

  @Override
  public void refused(long session, RefusalCode code, String message, String hint) {
    attached.forget(session, peer);
    replies.backupViews().end(session);
    output.refuse(peer, session, code, message, hint);
  }

  @Override
  public void attached(long session, long attachment, boolean isProxied, long last) {
    LinkWriter.attached(output.to(peer), session, last);
  }

  @Override
  public void notAttached(long session) {
    attached.forget(session, peer);
    refuseNotServing(output, peer, session);
  }

  /** The leadership that follows lets the gateway start over, also where this node serves. */
  void refuseNotServing(BatchOutput to, GatewayPeer link, long session) {
    to.refuse(
        link,
        session,
        RefusalCode.NOT_LEADING,
        "the session has no link to this node",
        "Attach it here or at another member.");
    LinkWriter.leadership(to.to(link), leadership.get(), link.version());
  }

  @Override
  public void commands(MemberOp.Commands op, boolean isProxied) {
    replies.begin(peer, output.to(peer), op.session(), op.first(), isProxied);
  }

  @Override
  public void query(MemberOp.Commands op, int at, Command query) {
    replies.query(op.first() + at, op.commands().get(at).backend(), query, gtm.state());
  }

  @Override
  public void reply(MemberOp.Commands op, int at, Reply reply) {
    LinkCommand to = op.commands().get(at);
    replies.reply(op.first() + at, to.backend(), to.command(), reply);
  }

  @Override
  public void commandsEnd() {
    replies.end();
  }
}
