package io.mgtm.query.fleet;

import io.mgtm.query.order.ServerState;
import java.util.Locale;

/** Of what kind the reason is for which a server was put out. */
public enum Ejection {
  /** It cannot be reached, is silent, or a connection to it broke. */
  AWAY(ServerState.Status.AWAY),
  /** It was there, and has not done in its time what the leader had done. */
  LATE(ServerState.Status.AWAY),
  /** It could not do what the leader had done, as for want of room, or since it was cancelled. */
  FAILED(ServerState.Status.AWAY),
  /** It answered otherwise than the leader. */
  DIFFERS(ServerState.Status.DIFFERS),
  /** It led, and an operator has let another lead. */
  PROMOTED(ServerState.Status.AWAY),
  /** An operator has removed it. */
  REMOVED(ServerState.Status.REMOVED);

  private final ServerState.Status status;

  Ejection(ServerState.Status status) {
    this.status = status;
  }

  /** As the log has it. */
  ServerState.Status status() {
    return status;
  }

  /** As metrics have it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
