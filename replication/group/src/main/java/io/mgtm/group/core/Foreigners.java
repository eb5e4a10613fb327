package io.mgtm.group.core;

import java.util.List;

/** Keeps members of another group of the same name apart from this one. Owner thread. */
final class Foreigners {
  private final CoreState s;

  Foreigners(CoreState s) {
    this.s = s;
  }

  /** Whether a message is not for this member; its sender is told. */
  boolean refuses(MemberId from, Message message) {
    boolean ofOwnLeader =
        message instanceof Message.CaughtUp || message instanceof Message.TransferNow;
    if (ofOwnLeader && !s.members.latest().contains(from)) {
      return true; // it was for the process that had this name before
    }
    if (!s.isForeign(message) || mayFollow(message)) {
      return false;
    }
    // While members still meet they may differ for a moment, and nothing is said.
    if (s.isSettled()) {
      warn(from);
      s.effects.send(List.of(from.name()), new Message.Foreign(s.term(), s.founding()));
    }
    return true;
  }

  /** Whether what this member has met does not matter: another founding has a leader. */
  private boolean mayFollow(Message message) {
    boolean ofGroup = message instanceof Message.Hello || isOfLeader(message);
    return ofGroup && !s.isSettled() && s.log.lastIndex() == 0;
  }

  static boolean isOfLeader(Message message) {
    return message instanceof Message.Append || message instanceof Message.CheckpointPiece;
  }

  void onForeign(MemberId from, Message.Foreign m) {
    if (s.isForeign(m)) {
      warn(from);
    }
  }

  private void warn(MemberId from) {
    s.warnings.warn(
        "foreign " + from.name(),
        ("%s belongs to another group of the same name: its members met on other folders than those of this one,"
                + " %s. Find out which of the two groups your databases use, stop the members of the other,"
                + " move their data folders away, and start them again")
            .formatted(from, s.members.latest()));
  }
}
