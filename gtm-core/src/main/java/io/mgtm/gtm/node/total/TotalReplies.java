package io.mgtm.gtm.node.total;

import io.mgtm.group.StatePicture;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.node.engine.BatchOutput;
import io.mgtm.gtm.node.engine.GatewayPeer;
import io.mgtm.gtm.node.engine.LinkReplies;
import io.mgtm.gtm.node.engine.SessionRules;
import io.mgtm.gtm.wire.link.LinkCommand;
import io.mgtm.gtm.wire.link.LinkWriter;
import java.util.List;

/**
 * Writes what the links get for the ops of a batch, from the state as it is at the batch's place in
 * the order. Owner thread.
 */
final class TotalReplies implements OpResults {

  /** Tells a link that its session is not served here. */
  interface Refusing {
    void refuse(BatchOutput output, GatewayPeer peer, long session);
  }

  private final OrderedGtm gtm;
  private final LocalAttachments attached;
  private final LinkReplies replies;
  private final Refusing refusing;
  private BatchOutput output;
  private List<Runnable> then;
  private GatewayPeer peer;

  TotalReplies(OrderedGtm gtm, LocalAttachments attached, LinkReplies replies, Refusing refusing) {
    this.gtm = gtm;
    this.attached = attached;
    this.replies = replies;
    this.refusing = refusing;
  }

  /**
   * Applies a batch of this member at its place.
   *
   * @param then gets what is to be done once it is settled
   */
  BatchOutput apply(TotalBatch batch, long index, List<Runnable> then) {
    this.then = then;
    output = new BatchOutput();
    for (TotalBatch.Item item : batch.items()) {
      peer = item.peer();
      if (item.copy() != null) {
        StatePicture state = gtm.statePicture();
        then.add(() -> item.copy().copied(index, state));
      } else {
        gtm.apply(index, item.op(), peer == null ? OpResults.NONE : this);
      }
    }
    return output;
  }

  @Override
  public void refused(long session, long attachment, SessionRules.Refusal why) {
    forget(session, attachment);
    replies.backupViews().end(session);
    output.refuse(peer, session, why);
  }

  @Override
  public void attached(long session, long last) {
    LinkWriter.attached(output.to(peer), session, last);
  }

  @Override
  public void notAttached(long session, long attachment) {
    forget(session, attachment);
    refusing.refuse(output, peer, session);
  }

  /**
   * Not before the batch is settled: at another place the session may be attached after all, and
   * then the end of its link has to be told.
   */
  private void forget(long session, long attachment) {
    then.add(() -> attached.forget(session, attachment));
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
