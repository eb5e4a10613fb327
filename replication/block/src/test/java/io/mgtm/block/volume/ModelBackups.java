package io.mgtm.block.volume;

import io.mgtm.block.intent.MemoryFile;
import io.mgtm.block.intent.Opening;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Copies of a node's metadata as they were at its starts, and their return: of the whole folder, of
 * its bitmaps or of its state. Once in a schedule at most, and in no schedule in which a state is
 * lost too: who has heard of a later opening is all that tells an older folder.
 */
final class ModelBackups {
  private static final int KEPT_MAX = 5;

  /** One copy; {@code opening} is the one that its bitmaps name. */
  record Backup(VolumeState state, Opening opening, Map<String, MemoryFile> bitmaps) {}

  private final ModelNode node;
  private final Random random;
  private final List<Backup> all = new ArrayList<>();

  ModelBackups(ModelNode node) {
    this.node = node;
    random = new Random(31L * node.world.seed + node.index);
  }

  static Map<String, MemoryFile> copy(Map<String, MemoryFile> files) {
    Map<String, MemoryFile> copies = new TreeMap<>();
    files.forEach((peer, file) -> copies.put(peer, file.copy()));
    return copies;
  }

  /** The node is about to start. */
  void keep(VolumeState state, Opening opening, Map<String, MemoryFile> bitmaps) {
    if (node.world.fault.meetsBackups() && all.size() < KEPT_MAX) {
      all.add(new Backup(state, opening, copy(bitmaps)));
    }
  }

  /** Somebody puts one of them back before the node starts. */
  void perhapsPutBack(ModelFiles files) {
    boolean done = node.world.promotions.backupReturned || node.world.promotions.stateLost;
    if (all.isEmpty() || done || random.nextInt(3) > 0) {
      return;
    }
    Backup one = all.get(random.nextInt(all.size()));
    boolean whole = random.nextBoolean();
    boolean bitmaps = whole || random.nextBoolean();
    if (one.state().openings().equals(files.state.openings())
        || !one.state().nodeId().equals(files.state.nodeId())
        || (whole && !isKnown(one))
        || (!bitmaps && one.state().slots().isEmpty())) {
      return;
    }
    node.world.promotions.backupReturned = true;
    if (whole || !bitmaps) {
      node.world.promotions.forgotten();
    }
    files.replace(
        whole || !bitmaps ? one.state() : null,
        whole || !bitmaps ? one.opening() : null,
        bitmaps ? copy(one.bitmaps()) : null);
    node.world.trace(
        () ->
            "n"
                + node.index
                + ": the metadata of opening "
                + one.opening().count()
                + " return: "
                + (whole ? "all" : bitmaps ? "the bitmaps" : "the state"));
  }

  /** Whether every copy that follows or feeds this one has heard of a later opening. */
  private boolean isKnown(Backup one) {
    if (node.world.fault == ModelFault.OPENINGS_NOT_COMPARED) {
      return true;
    }
    String self = one.state().nodeId();
    boolean heard = false;
    for (ModelNode other : node.world.nodes) {
      VolumeState.Slot slot = other.files.state.slots().get(self);
      if (slot != null && one.state().openings().with(0).knows(slot.heard())) {
        return false;
      }
      heard |= slot != null;
    }
    return heard;
  }
}
