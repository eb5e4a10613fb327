package io.mgtm.block.volume;

/**
 * The disk of a primary fails while a replica has everything, and clients read what was
 * acknowledged all the same.
 */
final class ModelFailingDisk {
  private static final int SETTLING_TURNS = 400;

  private record Read(int offset, int length, int issuedAt) {}

  private final ModelWorld world;

  ModelFailingDisk(ModelWorld world) {
    this.world = world;
  }

  /** The paths come back, and once a replica of the primary has everything, its disk fails. */
  void breakDisk() {
    world.pathsUp = true;
    for (int i = 0; i < SETTLING_TURNS; i++) {
      for (ModelNode node : world.nodes) {
        if (node.isUp() && node.core.isPrimary() && hasReplica(node)) {
          world.trace(() -> "the disk of n" + node.index + " fails");
          node.failing = true;
          world.request(node);
          return;
        }
      }
      world.completeSomething();
      world.deliverSomething();
      world.tickSomeone();
    }
  }

  private static boolean hasReplica(ModelNode node) {
    return node.core.view().links().stream().anyMatch(link -> link.phase() == LinkPhase.UP_TO_DATE);
  }

  /** A client reads something where this side's own disk does not answer. */
  void perhapsRead(ModelNode node) {
    if (!node.core.isDetached()) {
      return;
    }
    int length = 1 + world.random.nextInt(4);
    int offset = world.random.nextInt((int) node.core.state().sizeBytes() - length + 1);
    Read read = new Read(offset, length, world.history.tick());
    if (world.fault == ModelFault.READS_A_FAILED_DISK) {
      done(node, read, node.disk.read(new Change().readBytes(offset, length)), Errno.OK);
    } else {
      node.core.read(offset, length, read);
    }
  }

  /** It was answered. */
  void done(ModelNode node, Object context, Object data, int errno) {
    Read read = (Read) context;
    if (errno == Errno.OK && !world.promotions.forced()) {
      world.fail(
          node,
          world.history.readViolation(read.offset(), (long[]) data, read.issuedAt()),
          "read elsewhere");
    }
  }
}
