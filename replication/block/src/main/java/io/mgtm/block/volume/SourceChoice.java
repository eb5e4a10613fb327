package io.mgtm.block.volume;

import io.mgtm.block.volume.Meeting.Decision;
import io.mgtm.block.volume.Meeting.Outcome;
import java.util.HashSet;
import java.util.Set;

/** Whether a source that introduces itself is followed, beside the one that is there. */
final class SourceChoice {
  private final VolumeCore core;
  private final Set<String> splitFrom = new HashSet<>();

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
    splitFrom.remove(wanted.nodeId());
    boolean split =
        decision.outcome() == Outcome.SPLIT_BRAIN || decision.outcome() == Outcome.MISMATCH;
    if (split && splitFrom.size() < Replication.SLOTS_MAX) {
      splitFrom.add(wanted.nodeId());
    }
    return decision;
  }

  /** Whether a source was refused that wrote without this side. */
  boolean sawSplit() {
    return !splitFrom.isEmpty();
  }

  /** This side and {@code node} agree. */
  void agreed(String node) {
    splitFrom.remove(node);
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
    if (!core.isAccepting()) {
      return new Decision(Outcome.STANDBY, "the other side is changing its role");
    }
    boolean same = present != null && present.nodeId().equals(wanted.nodeId());
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
    Decision full = core.replication().refusalOfSlot(wanted.nodeId());
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
