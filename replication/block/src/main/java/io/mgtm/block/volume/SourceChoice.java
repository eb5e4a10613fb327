package io.mgtm.block.volume;

import io.mgtm.block.volume.Meeting.Decision;
import io.mgtm.block.volume.Meeting.Outcome;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Whether a source that introduces itself is followed, beside the one that is there. */
final class SourceChoice {
  /** What a second process is told that has the metadata of one that is connected. */
  static final String TWIN =
      "the other side is connected to another process of that node: if that was not killed a moment"
          + " ago, one was started from a copy of the other's metadata; there, move that directory"
          + " away and start it with --receive";

  private final VolumeCore core;
  private final Set<String> splitFrom = new HashSet<>();

  /** By node, why it is not followed, as the log has it. */
  private final Map<String, String> told = new HashMap<>();

  SourceChoice(VolumeCore core) {
    this.core = core;
  }

  /**
   * Decides for {@code wanted}.
   *
   * @param present the source that is connected, or null
   * @param alive whether that one was heard a short while ago
   * @param writing the node whose changes are still being written, or null
   */
  Decision decide(Identity wanted, Identity present, boolean alive, String writing) {
    Decision decision = judge(wanted, present, alive, writing);
    boolean split = decision.outcome() == Outcome.SPLIT_BRAIN;
    tell(wanted.nodeId(), decision, split && !core.administration().isSplit());
    splitFrom.remove(wanted.nodeId());
    if (split && splitFrom.size() < LinkMeetings.SLOTS_MAX) {
      splitFrom.add(wanted.nodeId());
    }
    return decision;
  }

  /** One line for as long as the reason stays the same. */
  private void tell(String node, Decision decision, boolean alarming) {
    if (decision.accepted() || decision.outcome() == Outcome.STANDBY) {
      told.remove(node);
      return;
    }
    if (decision.reason().equals(told.get(node))) {
      return;
    }
    if (told.size() >= LinkMeetings.SLOTS_MAX) {
      told.clear();
    }
    told.put(node, decision.reason());
    String line = "source " + node + " not followed: " + decision.reason();
    if (alarming) {
      core.effects().alarm(line);
    } else {
      core.effects().notice(line);
    }
  }

  /** Whether a source was refused that wrote without this side. */
  boolean sawSplit() {
    return !splitFrom.isEmpty();
  }

  /** This side and {@code node} agree. */
  void agreed(String node) {
    splitFrom.remove(node);
  }

  /** This side starts over as a primary, and must meet again what it was split from. */
  void forget() {
    splitFrom.clear();
  }

  /** Whether {@code other} has the name of {@code present}, and is not the process that has it. */
  static boolean isTwin(Identity other, Identity present) {
    return other.nodeId().equals(present.nodeId())
        && !other.openings().newest().equals(present.openings().newest());
  }

  private Decision judge(Identity wanted, Identity present, boolean alive, String writing) {
    Identity self = core.identityFor(wanted.nodeId());
    Decision decision = Meeting.stranger(wanted, self) == null ? forgetful(wanted, self) : null;
    if (decision != null) {
      return decision;
    }
    decision = Meeting.decide(wanted, self);
    if (!decision.accepted()) {
      return decision;
    }
    if (!core.administration().isAccepting()) {
      return new Decision(Outcome.STANDBY, "the other side is changing its role");
    }
    boolean same = present != null && present.nodeId().equals(wanted.nodeId());
    if (same && alive && isTwin(wanted, present)) {
      return new Decision(Outcome.SAME_NODE, TWIN);
    }
    if (same && alive) {
      return new Decision(Outcome.STANDBY, "the other side is connected to that node already");
    }
    boolean relayed = present != null && present.role() == Role.SECONDARY;
    if (present != null && !same && !(relayed && wanted.role() == Role.PRIMARY)) {
      return new Decision(
          Outcome.STANDBY, "the other side already follows node " + present.nodeId());
    }
    if (writing != null && !writing.equals(wanted.nodeId())) {
      return new Decision(
          Outcome.STANDBY, "the other side still writes what node " + writing + " sent");
    }
    Decision full = core.replication().meetings().refusalOfSlot(wanted.nodeId());
    return full == null ? decision : full;
  }

  /** Whether the metadata of one of the two were put back from an earlier time; null when not. */
  private Decision forgetful(Identity wanted, Identity self) {
    String own = core.administration().forgot(wanted);
    if (own != null) {
      return new Decision(Outcome.STANDBY, own);
    }
    return wanted.forgotten(self) == null
        ? null
        : new Decision(
            Outcome.SOURCE_FORGOT,
            "the metadata of node "
                + wanted.nodeId()
                + " are from an earlier time than when it was here last; every chunk is to be"
                + " compared");
  }
}
