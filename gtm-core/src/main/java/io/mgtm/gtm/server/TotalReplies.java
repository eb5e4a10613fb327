package io.mgtm.gtm.server;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.gtm.wire.link.RepliesWriter;
import io.mgtm.gtm.wire.link.Standing;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.netty.buffer.ByteBuf;
import java.util.function.Supplier;

/**
 * Writes what the links get for the ops of a turn, from the state as it is at the turn's place in
 * the order. Owner thread.
 */
final class TotalReplies implements OpResults {
  /** A frame of replies is ended, and another begun, past this. */
  private static final int REPLIES_BYTES_MAX = 256 * 1024;

  private final OrderedGtm gtm;
  private final Supplier<Standing> standing;
  private final Doors doors;
  private final GtmMetrics metrics;
  private final BackupViews backupViews = new BackupViews();
  private final ReplyEncoder encoder = new ReplyEncoder();
  private final RepliesWriter replies = new RepliesWriter();
  private TurnOutput output;
  private FrontPeer peer;
  private ByteBuf out;
  private boolean proxied;

  TotalReplies(OrderedGtm gtm, Supplier<Standing> standing, Doors doors, GtmMetrics metrics) {
    this.gtm = gtm;
    this.standing = standing;
    this.doors = doors;
    this.metrics = metrics;
  }

  /** Applies a turn of this member at its place. */
  void apply(TotalTurn turn, long index) {
    output = turn.output();
    for (TotalTurn.Item item : turn.items()) {
      peer = item.peer();
      if (item.copy() != null) {
        byte[] state = io.mgtm.gtm.state.CheckpointEncoder.encode(gtm.state());
        turn.afterwards(() -> item.copy().copied(index, state));
      } else {
        gtm.apply(index, item.op(), peer == null ? OpResults.NONE : this);
      }
    }
    turn.applied();
  }

  /** The state was replaced, or this member serves no more. */
  void forgetViews() {
    backupViews.clear();
  }

  @Override
  public void refused(long session, RefusalCode code, String message, String hint) {
    doors.forget(session, peer);
    backupViews.end(session);
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

  /** The standing that follows lets the front begin anew, also where this node serves. */
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
    proxied = isProxied;
    out = output.to(peer);
    replies.begin(out, op.session(), op.first());
  }

  @Override
  public void query(MemberOp.Commands op, int at, Command query) {
    GtmState state = gtm.state();
    short backend = op.commands().get(at).backend();
    Reply viewed = backupViews.answer(op.session(), backend, query, state);
    reply(op, at, viewed != null ? viewed : state.apply(query));
  }

  @Override
  public void reply(MemberOp.Commands op, int at, Reply reply) {
    if (op.commands().get(at).command() instanceof SessionCommand.DisconnectBackend gone) {
      backupViews.end(op.session(), gone.backend());
    }
    if (replies.bytes() > REPLIES_BYTES_MAX) {
      replies.end();
      replies.begin(out, op.session(), op.first() + at);
    }
    replies.beginReply();
    if (reply instanceof Reply.Rejected rejected) {
      metrics.rejected(rejected.reason());
    }
    encoder.encode(out, proxied, op.commands().get(at).backend(), reply);
    replies.endReply(false);
  }

  @Override
  public void commandsEnd() {
    replies.end();
  }
}
