package io.mgtm.block.volume;

import io.mgtm.block.intent.Opening;
import java.util.Map;

/**
 * What one side tells the other when they meet.
 *
 * @param volume the volume's name
 * @param nodeId the side's lasting random id
 * @param sizeBytes the volume's size
 * @param chunkBytes the bitmap's chunk size
 * @param role the side's role
 * @param generations the side's history
 * @param consistent whether the side's bytes are those of one moment
 * @param discard whether the operator named the other side the survivor of a split
 * @param tracksPeer whether the side has tracked every change of its own that the other side may
 *     lack
 * @param syncingFrom the node whose resync was under way here, or an empty string
 * @param volumeId the volume's id, or an empty string on a copy that never had data
 * @param openings how often the side's metadata were opened
 * @param heard the last opening of each other node that the side has heard of
 */
public record Identity(
    String volume,
    String nodeId,
    long sizeBytes,
    int chunkBytes,
    Role role,
    Generations generations,
    boolean consistent,
    boolean discard,
    boolean tracksPeer,
    String syncingFrom,
    String volumeId,
    Openings openings,
    Map<String, Opening> heard) {
  /** Keeps an unchangeable copy. */
  public Identity {
    heard = Map.copyOf(heard);
  }

  /** A side that tells nothing of openings. */
  public Identity(
      String volume,
      String nodeId,
      long sizeBytes,
      int chunkBytes,
      Role role,
      Generations generations,
      boolean consistent,
      boolean discard,
      boolean tracksPeer,
      String syncingFrom,
      String volumeId) {
    this(
        volume,
        nodeId,
        sizeBytes,
        chunkBytes,
        role,
        generations,
        consistent,
        discard,
        tracksPeer,
        syncingFrom,
        volumeId,
        Openings.NONE,
        Map.of());
  }

  /** The opening of this side's metadata that {@code other} knows and they do not, or null. */
  Opening forgotten(Identity other) {
    Opening heard = other.heard.get(nodeId);
    return heard == null || openings.knows(heard) ? null : heard;
  }

  /** This identity as that of a primary. */
  Identity asPrimary() {
    return new Identity(
        volume,
        nodeId,
        sizeBytes,
        chunkBytes,
        Role.PRIMARY,
        generations,
        consistent,
        discard,
        tracksPeer,
        syncingFrom,
        volumeId,
        openings,
        heard);
  }
}
