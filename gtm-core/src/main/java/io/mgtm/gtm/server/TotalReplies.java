package io.mgtm.gtm.server;

import io.mgtm.group.StatePicture;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.wire.link.LinkCommand;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.gtm.wire.link.Standing;
import java.util.function.Supplier;

/**
 * Writes what the links get for the ops of a turn, from the state as it is at the turn's place in
 * the order. Owner thread.
 */
final class TotalReplies implements OpResults {
  private final OrderedGtm gtm;
  private final Supplier<Standing> standing;
  private final Doors doors;
  private final LinkReplies replies;
  private TurnOutput output;
  private FrontPeer peer;

  TotalReplies(
      OrderedGtm gtm,
      Supplier<Standing> standing,
      Doors doors,
      GtmMetrics metrics,
      EngineTime time) {
    this.gtm = gtm;
    this.standing = standing;
    this.doors = doors;
    this.replies = new LinkReplies(metrics, time);
  }

  /** Applies a turn of this member at its place. */
  void apply(TotalTurn turn, long index) {
    output = turn.output();
    for (TotalTurn.Item item : turn.items()) {
      peer = item.peer();
      if (item.copy() != null) {
        StatePicture state = gtm.statePicture();
        turn.afterwards(() -> item.copy().copied(index, state));
      } else {
        gtm.apply(index, item.op(), peer == null ? OpResults.NONE : this);
      }
    }
    turn.applied();
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
  void gone(FrontPeer link) {
    replies.gone(link);
  }

  LongLists lists() {
    return replies.lists();
  }

  @Override
  public void refused(long session, RefusalCode code, String message, String hint) {
    doors.forget(session, peer);
    replies.backupViews().end(session);
    output.refuse(peer, session, code, message, hint);
  }

  @Override
  public void attached(long session, long attachment, boolean isProxied, long last) {
    LinkWriter.attached(output.to(peer), session, last);
  }

  @Override
  public void notAttached(long session) {
    doors.forget(session, peer);
    refuseNotServing(output, peer, session);
  }

  /** The standing that follows lets the front start over, also where this node serves. */
  void refuseNotServing(TurnOutput to, FrontPeer link, long session) {
    to.refuse(
        link,
        session,
        RefusalCode.NOT_LEADING,
        "the session has no link to this node",
        "Attach it here or at another member.");
    LinkWriter.standing(to.to(link), standing.get());
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
