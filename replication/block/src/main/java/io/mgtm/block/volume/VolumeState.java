package io.mgtm.block.volume;

import io.mgtm.block.intent.Opening;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * What a side must remember over a crash besides its bitmaps. Immutable.
 *
 * @param name the volume's name
 * @param nodeId this side's lasting random id
 * @param sizeBytes the volume's size
 * @param chunkBytes the bitmap's chunk size
 * @param role this side's role
 * @param generations this side's history
 * @param consistent whether this side's bytes are those of one moment
 * @param discard whether the operator gave up this side's own changes
 * @param syncingFrom the node whose resync is under way here, or an empty string
 * @param slots what is known of each peer, by node id
 * @param standing how this copy stands among the others
 * @param openings how often these metadata were opened
 */
public record VolumeState(
    String name,
    String nodeId,
    long sizeBytes,
    int chunkBytes,
    Role role,
    Generations generations,
    boolean consistent,
    boolean discard,
    String syncingFrom,
    Map<String, Slot> slots,
    Standing standing,
    Openings openings) {

  /** A volume grows by whole sectors. */
  public static final int SECTOR_BYTES = 512;

  /** To how many chunks a volume may grow: 4 TiB with the smallest, 256 TiB with the largest. */
  public static final int CHUNKS_MAX = 1 << 26;

  /**
   * What is known of one peer.
   *
   * @param sharedGeneration the newest generation that the peer may have taken over from us, or we
   *     from it
   * @param full whether every chunk may differ, whatever the bitmap says
   * @param heard the peer's last opening that this side has heard of
   */
  public record Slot(long sharedGeneration, boolean full, Opening heard) {
    /** A slot of a peer of whose openings nothing is known. */
    public Slot(long sharedGeneration, boolean full) {
      this(sharedGeneration, full, Opening.NONE);
    }

    Slot withShared(long generation) {
      return new Slot(generation, full, heard);
    }

    /** This slot, where every chunk may differ or not. */
    public Slot withFull(boolean nowFull) {
      return new Slot(sharedGeneration, nowFull, heard);
    }

    /** This slot with the peer's last opening, unless it tells none. */
    Slot withHeard(Opening opening) {
      return opening.count() == 0 ? this : new Slot(sharedGeneration, full, opening);
    }
  }

  /** Keeps an unchangeable copy of the slots. */
  public VolumeState {
    slots = Map.copyOf(slots);
  }

  /** A side that never had data: a primary of a first generation, or a target to be filled. */
  public static VolumeState fresh(
      String name,
      String nodeId,
      long sizeBytes,
      int chunkBytes,
      Role role,
      Generations generations) {
    return new VolumeState(
        name,
        nodeId,
        sizeBytes,
        chunkBytes,
        role,
        generations,
        true,
        false,
        "",
        Map.of(),
        Standing.fresh(role),
        Openings.NONE);
  }

  /** How many chunks the volume has. */
  public int chunks() {
    return chunksOf(sizeBytes, chunkBytes);
  }

  /** How many chunks of {@code chunkBytes} cover {@code sizeBytes}. */
  public static int chunksOf(long sizeBytes, int chunkBytes) {
    return Math.toIntExact((sizeBytes + chunkBytes - 1) / chunkBytes);
  }

  /** A copy of a state, to be changed. */
  private static final class Draft {
    private long sizeBytes;
    private Role role;
    private Generations generations;
    private boolean consistent;
    private boolean discard;
    private String syncingFrom;
    private Map<String, Slot> slots;
    private Standing standing;
    private Openings openings;

    Draft(VolumeState of) {
      sizeBytes = of.sizeBytes;
      role = of.role;
      generations = of.generations;
      consistent = of.consistent;
      discard = of.discard;
      syncingFrom = of.syncingFrom;
      slots = of.slots;
      standing = of.standing;
      openings = of.openings;
    }
  }

  private VolumeState with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return new VolumeState(
        name,
        nodeId,
        draft.sizeBytes,
        chunkBytes,
        draft.role,
        draft.generations,
        draft.consistent,
        draft.discard,
        draft.syncingFrom,
        draft.slots,
        draft.standing,
        draft.openings);
  }

  /** This state with another role; a new role ends a given-up history. */
  public VolumeState withRole(Role newRole, boolean newDiscard) {
    return with(
        draft -> {
          draft.role = newRole;
          draft.discard = newDiscard;
        });
  }

  /** This state with another history. */
  public VolumeState withGenerations(Generations newer) {
    return with(draft -> draft.generations = newer);
  }

  /** This state marked consistent, or inconsistent by the resync from {@code source}. */
  public VolumeState withConsistency(boolean nowConsistent, String source) {
    return with(
        draft -> {
          draft.consistent = nowConsistent;
          draft.syncingFrom = source;
        });
  }

  /** This state with the slot of one peer. */
  public VolumeState withSlot(String peer, Slot slot) {
    Map<String, Slot> more = new TreeMap<>(slots);
    more.put(peer, slot);
    return with(draft -> draft.slots = more);
  }

  /** The last opening of {@code peer} that this side has heard of. */
  Opening heardOf(String peer) {
    Slot slot = slots.get(peer);
    return slot == null ? Opening.NONE : slot.heard();
  }

  /** This state, in which {@code opening} of a peer that has a slot was heard of. */
  VolumeState withHeard(String peer, Opening opening) {
    Slot slot = slots.get(peer);
    return slot == null ? this : withSlot(peer, slot.withHeard(opening));
  }

  /** This state with another size. */
  public VolumeState withSize(long newSizeBytes) {
    return with(draft -> draft.sizeBytes = newSizeBytes);
  }

  /** This state with another standing of this copy. */
  public VolumeState withStanding(Standing newStanding) {
    return with(draft -> draft.standing = newStanding);
  }

  /** This state with other openings. */
  public VolumeState withOpenings(Openings newer) {
    return with(draft -> draft.openings = newer);
  }

  /**
   * This state, which turned out to be of an earlier time, as what it is: no bitmap of it is
   * believed, this side is no primary and knows that a newer copy may exist.
   *
   * @param heard the later opening that somebody knows of
   * @param id of the opening that follows it
   * @param primary whether this side was primary; else it may be in the middle of a resync
   */
  public VolumeState older(Opening heard, long id, boolean primary) {
    return with(
        draft -> {
          Map<String, Slot> all = new TreeMap<>(slots);
          all.replaceAll((peer, slot) -> slot.withFull(true));
          draft.slots = all;
          draft.openings = openings.after(heard, id);
          draft.standing = standing.asOutdated();
          draft.role = Role.SECONDARY;
          if (!primary) {
            draft.consistent = false;
            draft.syncingFrom = "";
          }
        });
  }

  /**
   * This state of a copy that may lack something of what it was told to keep: a secondary is
   * inconsistent until it is resynchronized. Whom it followed last knows which chunks that are;
   * when it cannot be told who that was, all are compared.
   */
  public VolumeState distrusted() {
    if (role == Role.PRIMARY || !consistent) {
      return this;
    }
    List<String> followed =
        slots.entrySet().stream()
            .filter(slot -> slot.getValue().sharedGeneration() == generations.current())
            .map(Map.Entry::getKey)
            .toList();
    return withConsistency(false, followed.size() == 1 ? followed.get(0) : "");
  }

  /** The generations that peers may still be at, which must not fall out of the history. */
  Set<Long> sharedGenerations() {
    return slots.values().stream().map(Slot::sharedGeneration).collect(Collectors.toSet());
  }

  /**
   * What this side tells {@code peer} when they meet; {@code peer} is an empty string when it is
   * not known yet.
   */
  public Identity identityFor(String peer) {
    Slot slot = slots.get(peer);
    return new Identity(
        name,
        nodeId,
        sizeBytes,
        chunkBytes,
        role,
        generations,
        consistent,
        discard,
        slot != null && !slot.full(),
        syncingFrom,
        standing.volumeId(),
        openings,
        slots.entrySet().stream()
            .filter(one -> one.getValue().heard().count() > 0)
            .collect(Collectors.toMap(Map.Entry::getKey, one -> one.getValue().heard())));
  }
}
