package io.mgtm.group.core;

import io.mgtm.group.Durability;
import java.nio.ByteBuffer;

/**
 * An entry of the log.
 *
 * @param term of the leader that appended it
 * @param payload its bytes from position to limit; nobody moves them
 */
public record Entry(long term, EntryKind kind, Durability durability, ByteBuffer payload) {

  /** The membership that it carries; null for a command. */
  public Membership membership() {
    return switch (kind) {
      case COMMAND -> null;
      case TERM_START -> TermStart.decode(payload.duplicate()).membership();
      case MEMBERSHIP -> Membership.decode(payload.duplicate());
    };
  }
}
