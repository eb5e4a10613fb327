package io.mgtm.group;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** How a group replicates its log; docs/replication.md says what each mode promises. */
public enum GroupMode {
  /**
   * One leader a term sends its entries over FIFO reliable links; an entry is committed when a
   * majority of the members has it. As long as a majority of the members is up and connected, the
   * group serves; whatever minority crashes or loses power, and however the network is cut, no
   * acknowledged entry is lost and reads are linearizable. Not promised: service without a
   * majority; and entries that were not synced when a majority loses power at once (the state
   * machine is told).
   */
  FIFO,

  /**
   * As {@link #FIFO}, and the members' messages are delivered in causal order: none before one that
   * its sender had heard or sent before. The group needs no more than FIFO; this mode promises the
   * same, and shows what the stronger order costs.
   */
  CAUSAL,

  /**
   * No promise under a partition. An entry is committed when it is sent; what asks for more than
   * {@link Durability#BUFFERED} waits until all connected members have it. Survives the crash of
   * the leader together with clients that repeat what was lost: one crash at a time loses only
   * acknowledged {@code BUFFERED} entries of a crashed leader.
   */
  LAZY,

  /**
   * Active replication: every member accepts proposals and applies all of them in one order; a
   * majority has what is acknowledged. As {@link #FIFO}, and clients of other members do not notice
   * the death of the one that makes the order but by a pause.
   */
  TOTAL;

  /** A mode of earlier versions. */
  private static final String RAFT = "raft";

  /** As it stands on a command line. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Of a {@link #label}.
   *
   * @throws IllegalArgumentException with a sentence for an operator
   */
  public static GroupMode of(String label) {
    return Arrays.stream(values())
        .filter(mode -> mode.label().equalsIgnoreCase(label))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(refusal(label)));
  }

  private static String refusal(String label) {
    if (label.equalsIgnoreCase(RAFT)) {
      return "mode is \""
          + label
          + "\", which this version does not have: mode fifo with durability all"
          + " promises the same, is tested by simulation, and was 10 to 15 times faster;"
          + " docs/operating-a-group.md says how to move the data";
    }
    String allowed =
        Arrays.stream(values()).map(GroupMode::label).collect(Collectors.joining(", "));
    return "mode is \"%s\"; %s are allowed".formatted(label, allowed);
  }
}
