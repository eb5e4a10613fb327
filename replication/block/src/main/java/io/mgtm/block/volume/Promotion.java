package io.mgtm.block.volume;

import io.mgtm.block.volume.Meeting.Outcome;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether a copy may become primary, from what it knows and what the others said. Only the newest
 * copy may; which one that is is handed on from primary to primary, and a copy that did not get it
 * cannot know what was acknowledged without it.
 */
final class Promotion {
  private static final String INSTEAD =
      "promote that one instead, or use --force and lose what only it has";

  private final VolumeState self;
  private final List<Testimony> testimonies;
  private boolean outdated;

  Promotion(VolumeState self, List<Testimony> testimonies) {
    this.self = self;
    this.testimonies = testimonies;
  }

  /** Whether a newer copy answered, so that this one is known to be outdated. */
  boolean isOutdated() {
    return outdated;
  }

  /** Whether a copy handed over to this one. */
  boolean isHandedOver() {
    return testimonies.stream().anyMatch(Testimony::handsOver);
  }

  /** Why this copy should not be primary beside {@code source}, connected or null, or null. */
  String refusalBeside(Identity source, Grounds grounds) {
    if (!self.consistent()) {
      return "this side is inconsistent: a resync of it was not finished, or its disk lost writes;"
          + " connect it to a copy that is up to date, or use --force and lose consistency";
    }
    if (source != null && source.role() == Role.PRIMARY) {
      return "node "
          + source.nodeId()
          + " is primary and connected; demote it first, or use --force";
    }
    return source != null && grounds == Grounds.VOUCHED
        ? "node "
            + source.nodeId()
            + " is connected and feeds this copy, for which nobody can vouch while it does"
        : null;
  }

  /** Why this copy should not be primary, or null. */
  String refusal(Grounds grounds) {
    String objection = objection();
    if (objection != null) {
      return objection;
    }
    if (self.generations().isEmpty()) {
      return allAnswered()
          ? null
          : "this copy is empty, and that the others are too is not known ("
              + answers()
              + "); use --force if it is to be the volume's first";
    }
    if (self.standing().newest() || isHandedOver()) {
      return null;
    }
    if (grounds != Grounds.VOUCHED) {
      return unvouched();
    }
    return self.standing().outdated()
        ? "this copy is outdated: it was told that a newer one exists, whoever vouches for it;"
            + " promote that one, or use --force and lose what only it has"
        : null;
  }

  /** Why this copy, which is primary and was restarted, should not serve, or null. */
  String refusalToServe(Grounds grounds) {
    String objection = objection();
    boolean known =
        grounds != Grounds.TESTIMONY || testimonies.stream().anyMatch(Testimony::reached);
    return objection != null || known
        ? objection
        : "this side reached none of its replicas, and one may have been promoted meanwhile ("
            + answers()
            + "); 'promote --force' serves without them";
  }

  /** What one of those who answered has against it, or null. */
  private String objection() {
    for (Testimony one : testimonies) {
      String objection = one.reached() ? objection(one) : null;
      if (objection != null) {
        return objection;
      }
    }
    return null;
  }

  private String objection(Testimony one) {
    Generations own = self.generations();
    Generations other = one.identity().generations();
    String copy = "the copy at " + one.peer();
    Meeting.Decision stranger = Meeting.stranger(self.identityFor(""), one.identity());
    if (stranger != null) {
      return stranger.outcome() == Outcome.SAME_NODE
          ? copy
              + " is this side itself, or its metadata was copied to there or from there; correct"
              + " the address, or there move the metadata away and start it with --receive"
          : copy + " is of another volume; correct the address";
    }
    if (other.isEmpty()) {
      return null;
    }
    boolean newer = own.isEmpty() || other.contains(own.current());
    if (newer && other.current() != own.current()) {
      outdated = true;
      return copy + " is newer " + other + " than this one " + own + "; " + INSTEAD;
    }
    if (!newer && !own.contains(other.current())) {
      return copy
          + " was written without this one (split brain), it has "
          + other
          + ", this one "
          + own
          + "; "
          + INSTEAD;
    }
    if (one.identity().role() == Role.PRIMARY) {
      return copy + " is primary; demote it first, or use --force";
    }
    return null;
  }

  private String unvouched() {
    return "nobody can vouch that this copy is the newest: the last primary may have gone on"
        + " without it ("
        + answers()
        + "); "
        + (allAnswered()
            ? "where the last primary is among these, it was handing over when the link was lost:"
                + " use --force on it; else "
            : "")
        + "bring the last primary back, or use --force and lose what it acknowledged since";
  }

  private boolean allAnswered() {
    return !testimonies.isEmpty() && testimonies.stream().allMatch(Testimony::reached);
  }

  private String answers() {
    if (testimonies.isEmpty()) {
      return "no --replica is configured that could be asked";
    }
    List<String> answers = new ArrayList<>();
    for (Testimony one : testimonies) {
      answers.add(
          one.peer()
              + (one.reached()
                  ? " is not newer, but was not primary last"
                  : " cannot be asked: " + one.failure()));
    }
    return String.join(", ", answers);
  }
}
