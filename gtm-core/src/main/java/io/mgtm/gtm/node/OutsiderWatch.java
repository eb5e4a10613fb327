package io.mgtm.gtm.node;

import io.mgtm.gtm.gateway.Gateway;
import io.mgtm.gtm.node.admin.NodeStatus;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Looks whether this node has lost its place in the group. A member that was taken out could pass
 * its clients' commands on to the leader for ever. Owner thread.
 */
final class OutsiderWatch {
  /** A member whose folder is new, or that joins again, is let in sooner. */
  private static final long OUTSIDE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final LongSupplier nanos;
  private long insideNanos;

  OutsiderWatch(LongSupplier nanos) {
    this.nanos = nanos;
    this.insideNanos = nanos.getAsLong();
  }

  /**
   * Turns clients away while this node is no member that keeps data.
   *
   * @param gateway null when there is none yet
   * @return what is wrong, or empty
   */
  String look(NodeStatus status, Gateway gateway) {
    long now = nanos.getAsLong();
    if (!status.role().equals("outsider")) {
      insideNanos = now;
    }
    boolean outside = now - insideNanos > OUTSIDE_NANOS;
    String trouble = outside ? status.trouble() : "";
    boolean witness = status.role().equals("witness");
    String refusal =
        witness
            ? "%s is the witness of the group and serves no clients".formatted(status.member())
            : trouble;
    if (gateway != null) {
      gateway.refuse(refusal);
    }
    return trouble;
  }
}
