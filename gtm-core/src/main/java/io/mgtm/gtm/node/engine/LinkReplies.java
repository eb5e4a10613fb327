package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.RepliesWriter;
import io.mgtm.gtm.wire.xc12.ListReply;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.netty.buffer.ByteBuf;

/**
 * Answers queries of gateways, and writes the replies to their commands in frames. Between {@link
 * #begin} and {@link #end} come the replies to one run of commands, in their order. Owner thread.
 */
public final class LinkReplies {
  /** A frame of replies is ended, and another begun, past this. */
  private static final int FRAME_BYTES = 256 * 1024;

  /** The longest list for a gateway that cannot take pieces, so that it fits a frame. */
  private static final int WHOLE_BYTES_MAX = LinkFormat.FRAME_BYTES_MAX - FRAME_BYTES - 1_024;

  private final RequestMetrics metrics;
  private final EngineTime time;
  private final BackupViews backupViews = new BackupViews();
  private final LongLists lists = new LongLists();
  private final ReplyEncoder encoder = new ReplyEncoder();
  private final RepliesWriter frames = new RepliesWriter();

  private GatewayPeer peer;
  private ByteBuf out;
  private long session;
  private boolean proxied;
  private long nowMs;

  public LinkReplies(RequestMetrics metrics, EngineTime time) {
    this.time = time;
    this.metrics = metrics;
  }

  public BackupViews backupViews() {
    return backupViews;
  }

  public LongLists lists() {
    return lists;
  }

  /**
   * Begins.
   *
   * @param first the number of the first reply's command
   * @param isProxied whether replies carry backends
   */
  public void begin(GatewayPeer to, ByteBuf buffer, long of, long first, boolean isProxied) {
    peer = to;
    out = buffer;
    session = of;
    proxied = isProxied;
    nowMs = time.nowMs();
    frames.begin(out, session, first);
  }

  /** Answers a query from the state as it is. */
  public void query(long number, short backend, Command query, GtmState state) {
    Reply viewed = backupViews.answer(session, backend, query, state);
    Reply reply = viewed != null ? viewed : lists.admission().answer(query, state);
    ListReply list = ListReply.of(proxied, backend, reply);
    if (list == null || list.bytes() <= ListAdmission.SHORT_BYTES) {
      write(number, backend, reply);
    } else if (peer.version() < LinkFormat.VERSION_PIECES) {
      write(number, backend, list.bytes() <= WHOLE_BYTES_MAX ? reply : tooLong(list));
    } else {
      Reply.Rejected refused = lists.keep(peer, list, nowMs);
      if (refused != null) {
        write(number, backend, refused);
      } else {
        frames.pieces(lists.lastId(), list.bytes());
      }
    }
  }

  private Reply.Rejected tooLong(ListReply list) {
    return new Reply.Rejected(
        Reply.Reason.BAD_STATE,
        "the list takes %d bytes, and %s is of a version that takes %d"
            .formatted(list.bytes(), peer.describe(), WHOLE_BYTES_MAX),
        "Upgrade it, or ask a node of the group.");
  }

  /** The reply to a command that is no query. */
  public void reply(long number, short backend, Command command, Reply reply) {
    if (command instanceof SessionCommand.DisconnectBackend gone) {
      backupViews.end(session, gone.backend());
    }
    write(number, backend, reply);
  }

  /** The command is refused since nothing can be stored. */
  void refuseForRoom(long number, short backend, String why) {
    metrics.refusedForRoom();
    nextFrame(number);
    frames.beginReply();
    encoder.error(
        out,
        proxied,
        backend,
        false,
        "the GTM cannot store anything now: " + why,
        "Free space on the disk of its data folder; it goes on by itself.");
    frames.endReply(false);
  }

  private void write(long number, short backend, Reply reply) {
    if (reply instanceof Reply.Rejected rejected) {
      metrics.rejected(rejected.reason());
    }
    nextFrame(number);
    frames.beginReply();
    encoder.encode(out, proxied, backend, reply);
    frames.endReply(false);
  }

  private void nextFrame(long number) {
    if (frames.bytes() > FRAME_BYTES) {
      frames.end();
      frames.begin(out, session, number);
    }
  }

  public void end() {
    frames.end();
  }

  /** A link has ended. */
  public void gone(GatewayPeer link) {
    lists.gone(link);
  }

  /** Who leads has changed, or the state was replaced. */
  public void changed() {
    backupViews.clear();
    lists.dropUntold();
  }

  /** This node serves nothing any more. */
  public void clear() {
    backupViews.clear();
    lists.clear();
  }
}
