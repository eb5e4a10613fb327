package io.mgtm.query.check;

import java.util.List;

/**
 * What a client asked for in one transaction, and what it was told. Moments are numbers of one
 * clock of all clients, which counts on at each question to it.
 *
 * @param isolation what was asked for
 * @param far it wrote nothing, and may have run at another server than those that write
 * @param outcome what its client knows of its end
 * @param ended when its client knew that
 * @param steps those that were answered, in their order, and appends that may have been done
 */
public record Transaction(
    Isolation isolation, boolean far, Outcome outcome, long ended, List<Step> steps) {
  /** PostgreSQL's levels that are promised. */
  public enum Isolation {
    READ_COMMITTED,
    REPEATABLE_READ,
    SERIALIZABLE
  }

  /** How a transaction ended. */
  public enum Outcome {
    COMMITTED,
    ABORTED,
    /** COMMIT was not answered. */
    UNKNOWN
  }

  /** One statement. */
  public sealed interface Step {
    String key();

    /** When it was sent, or before. */
    long began();
  }

  /** An element, which nobody else appends anywhere, is put at the end of a list. */
  public record Append(String key, int element, long began) implements Step {}

  /** A list is read. */
  public record Read(String key, List<Integer> list, long began) implements Step {
    public Read {
      list = List.copyOf(list);
    }
  }

  public Transaction {
    steps = List.copyOf(steps);
  }

  /** All that it read was there at one moment. */
  boolean hasOneSnapshot() {
    return isolation != Isolation.READ_COMMITTED || steps.size() == 1;
  }

  /** When the snapshot may have been taken by which a step reads. */
  long snapshotBegan(Step step) {
    return isolation == Isolation.READ_COMMITTED ? step.began() : steps.get(0).began();
  }
}
