package io.mgtm.query.order;

/**
 * Whether a server is in.
 *
 * @param why it is out; empty where it is in
 * @param sinceMs since 1970
 */
public record ServerState(Status status, String why, long sinceMs) {
  /** Of a server. */
  public enum Status {
    /** It has all that was acknowledged. */
    IN(0),

    /** It was gone or silent: what it misses is in the log. */
    AWAY(1),

    /** Its rows may be others. */
    DIFFERS(2),

    /** An operator says that its rows are those of the others; they are compared. */
    READMITTED(3),

    /** It is none of the servers any more. */
    REMOVED(4);

    /** As it stands in the log. */
    private final int code;

    Status(int code) {
      this.code = code;
    }

    private static Status of(int code) {
      for (Status status : values()) {
        if (status.code == code) {
          return status;
        }
      }
      throw new IllegalArgumentException("a server of status " + code);
    }
  }

  /** It is in from now on. */
  public static ServerState in(long nowMs) {
    return new ServerState(Status.IN, "", nowMs);
  }

  /** Whether it serves, or is about to, at a start. */
  public boolean isIn() {
    return status == Status.IN;
  }

  void write(Codec.Out out) {
    out.u8(status.code).text(why).i64(sinceMs);
  }

  static ServerState read(Codec.In in) {
    return new ServerState(Status.of(in.u8()), in.text(), in.i64());
  }
}
