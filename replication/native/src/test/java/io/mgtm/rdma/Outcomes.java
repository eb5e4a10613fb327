package io.mgtm.rdma;

import java.util.ArrayList;
import java.util.List;

/** Keeps what completions say. */
final class Outcomes implements RdmaCompletion {

  record Outcome(long tag, RdmaWork work, int bytes, int immediate, RdmaException error) {}

  final List<Outcome> all = new ArrayList<>();

  @Override
  public void completed(long tag, RdmaWork work, int bytes, int immediate, RdmaException error) {
    all.add(new Outcome(tag, work, bytes, immediate, error));
  }

  /** Awaits one on a connection and answers it. */
  static Outcome next(RdmaConnection connection) throws RdmaException {
    Outcomes outcomes = new Outcomes();
    int count = connection.await(1, RdmaRig.SOON_NS, outcomes);
    if (count != 1) {
      throw new AssertionError("awaited one completion and got " + outcomes.all);
    }
    return outcomes.all.get(0);
  }

  /** Awaits until nothing is in flight any more. */
  static List<Outcome> drain(RdmaConnection connection) throws RdmaException {
    Outcomes outcomes = new Outcomes();
    long end = System.nanoTime() + RdmaRig.SOON_NS;
    while (connection.inFlight() > 0 && System.nanoTime() < end) {
      connection.await(1, RdmaRig.SOON_NS, outcomes);
    }
    return outcomes.all;
  }
}
