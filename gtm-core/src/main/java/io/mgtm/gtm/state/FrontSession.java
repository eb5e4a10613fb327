package io.mgtm.gtm.state;

import io.mgtm.gtm.command.FrontKind;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SnapshotReply;

/**
 * A session of numbered commands. What has an effect is done once: its reply is kept until the
 * front says that it has it. What has none may be done again, nobody saw its first reply; so may
 * snapshots, of which the newest is as good.
 */
final class FrontSession {
  private final long id;
  private final String front;
  private final FrontKind kind;
  private final boolean proxied;
  private final ReplyWindow replies;

  /** The highest number of a command that had an effect. */
  private long last;

  FrontSession(long id, String front, FrontKind kind, boolean proxied) {
    this(id, front, kind, proxied, new ReplyWindow());
  }

  private FrontSession(
      long id, String front, FrontKind kind, boolean proxied, ReplyWindow replies) {
    this.id = id;
    this.front = front;
    this.kind = kind;
    this.proxied = proxied;
    this.replies = replies;
  }

  /** As it is now. */
  FrontSession picture() {
    FrontSession picture = new FrontSession(id, front, kind, proxied, replies.picture());
    picture.last = last;
    return picture;
  }

  long id() {
    return id;
  }

  String front() {
    return front;
  }

  FrontKind kind() {
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
