package io.mgtm.gtm.node.total;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.node.engine.SessionRules;
import io.mgtm.gtm.wire.link.LinkCommand;
import java.util.List;

/**
 * What members of a group in mode {@code total} put into the order. An <em>attachment</em> is a
 * session's link to a member; its id is drawn at random by that member. Commands name the
 * attachment that they came by and are done only while it is the session's: so what a member that
 * was cut off proposes late does nothing once the gateway has gone on elsewhere.
 */
sealed interface MemberOp {

  /** The session that it is about, 0 for none. */
  default long session() {
    return 0;
  }

  /** A process of a member begins: nothing is attached to it, and there it is reached. */
  record Begin(String member, String address) implements MemberOp {}

  /** What a new group begins with; nothing in one that has begun. */
  record First(List<Command> commands) implements MemberOp {
    public First {
      commands = List.copyOf(commands);
    }
  }

  /**
   * A gateway goes on with a session at a member, or opens it.
   *
   * @param sessionsMax how many sessions the member admits
   */
  record Attach(
      String member,
      long session,
      long attachment,
      boolean fresh,
      boolean proxied,
      String gateway,
      GatewayKind kind,
      int sessionsMax)
      implements MemberOp {
    /** What the gateway asks. */
    SessionRules.Request request() {
      return new SessionRules.Request(session, fresh, proxied, gateway, kind);
    }
  }

  /** The session's link has ended. */
  record Detach(long session, long attachment) implements MemberOp {}

  /** The gateway no longer needs the session. */
  record Close(long session, long attachment) implements MemberOp {}

  /**
   * Commands and queries of a session with consecutive numbers from {@code first}; the member that
   * proposes them answers the queries at this place, the others pass over them.
   */
  record Commands(long session, long attachment, long acked, long first, List<LinkCommand> commands)
      implements MemberOp {}

  /** A member is gone: nothing is attached to it. */
  record Gone(String member) implements MemberOp {}

  /** Nothing was attached to a session for too long, since the entry of an index. */
  record Expire(long session, long detachedAt) implements MemberOp {}
}
