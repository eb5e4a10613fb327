package io.mgtm.block.agent;

import io.mgtm.block.volume.LinkPhase;
import io.mgtm.block.volume.Meeting.Outcome;
import io.mgtm.block.volume.VolumeView;
import java.util.List;
import java.util.stream.Collectors;

/**
 * When a restarted primary may serve again: another copy may have been promoted while it was down.
 * Once every replica was met; or a while after the first was reached; or, where the operator takes
 * the risk, a while after it began to try. Time counts from there, not from the process's start.
 * Only another copy of this volume counts as reached, and none that is the same node may answer.
 */
final class PeerWait {
  private final long waitMs;
  private final boolean serveAlone;
  private long begunMs = -1;
  private long reachedMs = -1;

  PeerWait(long waitMs, boolean serveAlone) {
    this.waitMs = waitMs;
    this.serveAlone = serveAlone;
  }

  /** Whether it may serve at {@code nowMs}, in which the links stand so. */
  boolean mayServe(long nowMs, List<VolumeView.Link> links) {
    begunMs = begunMs < 0 ? nowMs : begunMs;
    boolean all = true;
    for (VolumeView.Link link : links) {
      if (link.refusal() == Outcome.SPLIT_BRAIN || link.refusal() == Outcome.SAME_NODE) {
        return false;
      }
      if (link.reached() && reachedMs < 0) {
        reachedMs = nowMs;
      }
      all &= link.reached() && link.phase() != LinkPhase.DOWN && link.phase() != LinkPhase.MEETING;
    }
    return all
        || (reachedMs >= 0 && nowMs - reachedMs >= waitMs)
        || (serveAlone && nowMs - begunMs >= waitMs);
  }

  private static boolean isUntried(VolumeView.Link link) {
    return link.refusal() == null && link.reason().equals(VolumeView.UNTRIED);
  }

  /** Why it does not serve yet. */
  String reason(List<VolumeView.Link> links) {
    for (VolumeView.Link link : links) {
      if (link.refusal() == Outcome.SAME_NODE) {
        return "replica " + link.name() + ": " + link.reason() + "; 'promote --force' serves here";
      }
    }
    if (links.stream().anyMatch(link -> link.refusal() == Outcome.SPLIT_BRAIN)) {
      return "a replica was primary too (split brain): run 'demote --discard' on the side whose"
          + " changes are to be given up, or 'promote --force' here";
    }
    if (reachedMs >= 0) {
      return "the volume waits for its other replicas after a restart";
    }
    if (links.stream().allMatch(PeerWait::isUntried)) {
      return "the volume asks its replicas after a restart whether one was promoted meanwhile";
    }
    String strangers =
        links.stream()
            .filter(link -> link.refusal() == Outcome.MISMATCH)
            .map(link -> "; " + link.name() + ": " + link.reason())
            .collect(Collectors.joining());
    return "the volume reached none of its replicas after a restart, and one may have been promoted"
        + " meanwhile"
        + strangers
        + (serveAlone ? "; it waits " + waitMs + " ms" : "")
        + "; 'promote --force' serves without them";
  }
}
