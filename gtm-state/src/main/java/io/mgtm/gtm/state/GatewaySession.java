package io.mgtm.gtm.state;

import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SnapshotReply;

/**
 * A session of numbered commands. What has an effect is done once: its reply is kept until the
 * gateway says that it has it. What has none may be done again, nobody saw its first reply; so may
 * snapshots, of which the newest is as good.
 */
final class GatewaySession {
  private final long id;
  private final String gateway;
  private final GatewayKind kind;
  private final boolean proxied;
  private final ReplyWindow replies;

  /** The highest number of a command that had an effect. */
  private long last;

  GatewaySession(long id, String gateway, GatewayKind kind, boolean proxied) {
    this(id, gateway, kind, proxied, new ReplyWindow());
  }

  private GatewaySession(
      long id, String gateway, GatewayKind kind, boolean proxied, ReplyWindow replies) {
    this.id = id;
    this.gateway = gateway;
    this.kind = kind;
    this.proxied = proxied;
    this.replies = replies;
  }

  /** As it is now. */
  GatewaySession picture() {
    GatewaySession picture = new GatewaySession(id, gateway, kind, proxied, replies.picture());
    picture.last = last;
    return picture;
  }

  long id() {
    return id;
  }

  String gateway() {
    return gateway;
  }

  GatewayKind kind() {
    return kind;
  }

  boolean proxied() {
    return proxied;
  }

  long last() {
    return last;
  }

  ReplyWindow replies() {
    return replies;
  }

  void restoreLast(long number) {
    last = number;
  }

  /** The reply that a command got when it came first, or null when it is to be done. */
  Reply replyTo(long number) {
    return number > last ? null : replies.find(number);
  }

  /** A command had an effect. */
  void done(long number, long acked, Reply reply) {
    replies.dropUpTo(acked);
    if (!(reply instanceof SnapshotReply)) {
      replies.put(number, reply);
    }
    last = Math.max(last, number);
  }
}
