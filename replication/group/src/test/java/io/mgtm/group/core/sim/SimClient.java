package io.mgtm.group.core.sim;

import static io.mgtm.group.core.sim.Violation.check;

/**
 * A client with one operation at a time. A change that is not answered is sent again, to any
 * member, with the same sequence number; a read is asked anew.
 */
final class SimClient {
  private final GroupSimulation world;
  private final int number;
  private long sequence;
  private long attempt;
  private boolean retry;
  private Operation operation;
  private long frontierAtStart;
  private int lossesAtStart;
  private int target;
  private boolean stopping;
  private boolean idle;
  private boolean isKnown;
  private long knownReply;

  SimClient(GroupSimulation world, int number) {
    this.world = world;
    this.number = number;
  }

  void begin() {
    if (stopping) {
      idle = true;
      return;
    }
    if (!retry) {
      next();
    }
    if (operation.kind() == Operation.Kind.READ) {
      // Another object each time, so that a late answer is not taken for this one's.
      operation = new Operation(Operation.Kind.READ, number, attempt, operation.register(), 0);
      isKnown = false;
      frontierAtStart = world.oracle.frontier();
      lossesAtStart = world.oracle.losses();
    }
    retry = true;
    if (world.random.nextInt(4) == 0) {
      target = world.random.nextInt(8); // not all clients learn of a new leader at the same time
    }
    long mine = ++attempt;
    world.request(target, operation, reply -> answered(mine, reply));
    world.after(80, () -> giveUp(mine));
  }

  private void next() {
    isKnown = false;
    // Some clients mostly read: only those go on with a leader that is cut off.
    int kind = world.random.nextInt(number < 2 && world.random.nextInt(6) > 0 ? 4 : 10);
    int register = world.random.nextInt(SimMachine.REGISTERS);
    frontierAtStart = world.oracle.frontier();
    lossesAtStart = world.oracle.losses();
    if (kind < 4) {
      operation = new Operation(Operation.Kind.READ, number, 0, register, 0);
      return;
    }
    sequence++;
    Operation.Kind change =
        kind < 7
            ? Operation.Kind.WRITE
            : kind < 8 ? Operation.Kind.WRITE_FORCED : Operation.Kind.ALLOCATE;
    operation = new Operation(change, number, sequence, register, sequence * 10 + number);
  }

  long frontierAtStart() {
    return frontierAtStart;
  }

  int lossesAtStart() {
    return lossesAtStart;
  }

  /**
   * A reply has left a member.
   *
   * @return whether one had left before
   */
  boolean knows(Operation answered, long reply) {
    if (!answered.equals(operation)) {
      return true; // an older one, and known
    }
    if (isKnown) {
      check(
          reply == knownReply || world.oracle.losses() > lossesAtStart,
          "%s is answered with %d and with %d",
          operation,
          knownReply,
          reply);
      return true;
    }
    isKnown = true;
    knownReply = reply;
    return false;
  }

  private void answered(long of, long reply) {
    if (of != attempt) {
      return;
    }
    attempt++;
    if (reply == -1) {
      target++;
      world.after(1 + world.random.nextInt(10), this::begin);
      return;
    }
    retry = false;
    world.after(world.random.nextInt(8), this::begin);
  }

  private void giveUp(long of) {
    if (of == attempt) {
      attempt++;
      target++;
      begin();
    }
  }

  /** Begins nothing new; what is under way is brought to its end. */
  void stopWhenDone() {
    stopping = !retry;
    if (retry) {
      world.after(5, this::stopWhenDone);
    }
  }

  boolean isIdle() {
    return idle;
  }
}
