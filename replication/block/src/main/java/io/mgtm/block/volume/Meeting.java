package io.mgtm.block.volume;

/**
 * The decision when a source meets a target: refuse, or which chunks to send. Both sides take it
 * from the same two identities and so agree.
 */
public final class Meeting {
  /** What is to happen. */
  public enum Outcome {
    /** Send the chunks whose bits are set on either side. */
    CHANGED_CHUNKS,
    /** Send every chunk. */
    ALL_CHUNKS,
    /** The target must not follow now, but may later: its role forbids it. */
    STANDBY,
    /** The target is newer than the source. */
    SOURCE_OUTDATED,
    /** The source's metadata are older than what the target has heard of it: it is told so. */
    SOURCE_FORGOT,
    /** Both sides wrote without the other. */
    SPLIT_BRAIN,
    /** Two copies of one volume that cannot be paired as they are: sizes, say, do not fit. */
    UNFIT,
    /** Both are one node: a side dialled itself, or the metadata of one was copied. */
    SAME_NODE,
    /** The two are not copies of one volume. */
    MISMATCH;

    /** Whether the other side is another copy of this volume, so that what it says counts. */
    boolean isOfACopy() {
      return this != SAME_NODE && this != MISMATCH;
    }
  }

  /**
   * The outcome with its reason.
   *
   * @param outcome what is to happen
   * @param reason one sentence for the log and the operator
   */
  public record Decision(Outcome outcome, String reason) {
    /** Whether the two sides go on. */
    public boolean accepted() {
      return outcome == Outcome.CHANGED_CHUNKS || outcome == Outcome.ALL_CHUNKS;
    }
  }

  private Meeting() {}

  /** Decides for {@code source}, who dialled, and {@code target}, who listens. Deterministic. */
  public static Decision decide(Identity source, Identity target) {
    Decision stranger = target.discard() ? misaddressed(source, target) : stranger(source, target);
    if (stranger != null) {
      return stranger;
    }
    // What the histories say comes before the sizes: a newer copy may have grown.
    Decision decision = histories(source, target);
    Decision unfit = decision.accepted() ? unfit(source, target) : null;
    return unfit == null ? decision : unfit;
  }

  /**
   * Why {@code target} is no other copy of the volume that {@code source} is one of, or null. What
   * such a side says of itself says nothing about this volume.
   */
  static Decision stranger(Identity source, Identity target) {
    boolean other =
        !source.volumeId().isEmpty()
            && !target.volumeId().isEmpty()
            && !source.volumeId().equals(target.volumeId());
    if (!other || !source.volume().equals(target.volume())) {
      return misaddressed(source, target);
    }
    return new Decision(
        Outcome.MISMATCH,
        "the two are copies of different volumes of one name, "
            + source.volumeId()
            + " and "
            + target.volumeId()
            + "; correct the address; if the target's bytes may go, move its metadata away and start"
            + " it with --receive");
  }

  private static Decision misaddressed(Identity source, Identity target) {
    if (!source.volume().equals(target.volume())) {
      return new Decision(
          Outcome.MISMATCH,
          "the source is a copy of volume "
              + source.volume()
              + ", the target of "
              + target.volume()
              + "; correct the address, or the name");
    }
    if (source.nodeId().equals(target.nodeId())) {
      return new Decision(
          Outcome.SAME_NODE,
          "both are node "
              + source.nodeId()
              + ": the address is this side's own, or the metadata of one was copied to the other;"
              + " there, move that directory away and start it with --receive");
    }
    return null;
  }

  private static Decision unfit(Identity source, Identity target) {
    if (source.sizeBytes() != target.sizeBytes()) {
      return new Decision(
          Outcome.UNFIT,
          "the replica has "
              + SizeText.of(target.sizeBytes())
              + ", the source "
              + SizeText.of(source.sizeBytes())
              + "; give both the same size"
              + resize(source, target));
    }
    if (source.chunkBytes() != target.chunkBytes()) {
      return new Decision(
          Outcome.UNFIT,
          "the replica tracks chunks of "
              + SizeText.of(target.chunkBytes())
              + ", the source of "
              + SizeText.of(source.chunkBytes()));
    }
    return null;
  }

  private static String resize(Identity source, Identity target) {
    boolean replica = target.sizeBytes() < source.sizeBytes();
    return " (%s: mgtm volume resize --name %s --size %s)"
        .formatted(
            replica ? "on the replica" : "on the source",
            source.volume(),
            SizeText.asOption(Math.max(source.sizeBytes(), target.sizeBytes())));
  }

  private static Decision histories(Identity source, Identity target) {
    if (target.role() == Role.PRIMARY) {
      return primaries(source, target);
    }
    if (source.generations().isEmpty()) {
      return new Decision(Outcome.STANDBY, "the source never had a primary's data");
    }
    if (!source.consistent()) {
      return new Decision(Outcome.STANDBY, "the source is inconsistent itself");
    }
    return targets(source, target);
  }

  private static Decision primaries(Identity source, Identity target) {
    if (source.role() == Role.SECONDARY) {
      return new Decision(Outcome.STANDBY, "the other side is primary");
    }
    if (target.generations().contains(source.generations().current())) {
      return new Decision(
          Outcome.SOURCE_OUTDATED, "the other side is primary and newer; " + both(source, target));
    }
    if (source.generations().contains(target.generations().current())) {
      return new Decision(
          Outcome.STANDBY, "the other side is primary too, and older; " + both(source, target));
    }
    return split(source, target);
  }

  private static Decision targets(Identity source, Identity target) {
    boolean tracked = source.tracksPeer() && target.tracksPeer();
    boolean strangerSync = !target.consistent() && !target.syncingFrom().equals(source.nodeId());
    Outcome sync = tracked && !strangerSync ? Outcome.CHANGED_CHUNKS : Outcome.ALL_CHUNKS;
    if (target.generations().isEmpty()) {
      return new Decision(Outcome.ALL_CHUNKS, "the target is empty");
    }
    if (source.generations().contains(target.generations().current())) {
      return new Decision(
          sync,
          sync == Outcome.ALL_CHUNKS
              ? "the sides do not track each other"
              : "the target is behind");
    }
    if (target.discard()) {
      return new Decision(sync, "the target's own changes are discarded by order");
    }
    if (target.generations().contains(source.generations().current())) {
      return new Decision(Outcome.SOURCE_OUTDATED, "the target is newer; " + both(source, target));
    }
    return split(source, target);
  }

  private static Decision split(Identity source, Identity target) {
    return new Decision(
        Outcome.SPLIT_BRAIN,
        "both sides wrote without the other (split brain); "
            + both(source, target)
            + "; name the survivor: run 'mgtm volume demote --discard' on the other side");
  }

  private static String both(Identity source, Identity target) {
    return "source "
        + source.nodeId()
        + " has "
        + source.generations()
        + ", target "
        + target.nodeId()
        + " has "
        + target.generations();
  }
}
