package io.mgtm.gtm.node.total;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.node.engine.SessionRules;

/** Told, at the member that proposed them, what came of ops at their place. Owner thread. */
interface OpResults {

  /** For members that proposed nothing of it. */
  OpResults NONE = new OpResults() {};

  /** A session does not go on. */
  default void refused(long session, long attachment, SessionRules.Refusal why) {}

  /**
   * A session is attached.
   *
   * @param last the highest number of a command that had an effect
   */
  default void attached(long session, long last) {}

  /** Commands came by a link that is not the session's any more; nothing was done with them. */
  default void notAttached(long session, long attachment) {}

  /** Commands are done from here on, one after the other. */
  default void commands(MemberOp.Commands op, boolean proxied) {}

  /** A query is at its place in the order. */
  default void query(MemberOp.Commands op, int at, Command query) {}

  /** A command was applied. */
  default void reply(MemberOp.Commands op, int at, Reply reply) {}

  /** All commands of the op are done. */
  default void commandsEnd() {}
}
