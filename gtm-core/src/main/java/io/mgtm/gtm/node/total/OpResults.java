package io.mgtm.gtm.node.total;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.wire.link.RefusalCode;

/** Told, at the member that proposed them, what came of ops at their place. Owner thread. */
interface OpResults {

  /** For members that proposed nothing of it. */
  OpResults NONE =
      new OpResults() {
        @Override
        public void refused(long session, RefusalCode code, String message, String hint) {}

        @Override
        public void attached(long session, long attachment, boolean proxied, long last) {}

        @Override
        public void notAttached(long session) {}

        @Override
        public void commands(MemberOp.Commands op, boolean proxied) {}

        @Override
        public void query(MemberOp.Commands op, int at, Command query) {}

        @Override
        public void reply(MemberOp.Commands op, int at, Reply reply) {}

        @Override
        public void commandsEnd() {}
      };

  /** A session does not go on. */
  void refused(long session, RefusalCode code, String message, String hint);

  /**
   * A session is attached.
   *
   * @param last the highest number of a command that had an effect
   */
  void attached(long session, long attachment, boolean proxied, long last);

  /** Commands came by a link that is not the session's any more; nothing was done with them. */
  void notAttached(long session);

  /** Commands are done from here on, one after the other. */
  void commands(MemberOp.Commands op, boolean proxied);

  /** A query is at its place in the order. */
  void query(MemberOp.Commands op, int at, Command query);

  /** A command was applied. */
  void reply(MemberOp.Commands op, int at, Reply reply);

  /** All commands of the op are done. */
  void commandsEnd();
}
