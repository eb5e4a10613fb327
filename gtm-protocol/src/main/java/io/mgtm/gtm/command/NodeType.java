package io.mgtm.gtm.command;

/** GTM_PGXCNodeType: what a peer says it is, in its startup packet and when it registers. */
public enum NodeType {
  /** A proxy's worker connection: its commands carry the backend they are for. */
  PROXY(1),
  /** A proxy's own connection, without backend numbers. */
  PROXY_POSTMASTER(2),
  COORDINATOR(3),
  DATANODE(4),
  GTM(5),
  /** A backend of any node, or a tool. */
  DEFAULT(6);

  private final int code;

  NodeType(int code) {
    this.code = code;
  }

  /** The value on the wire and in the log. */
  public int code() {
    return code;
  }

  /** The type of a wire or log value, or null when there is none. */
  public static NodeType ofCode(int code) {
    return code >= 1 && code <= 6 ? values()[code - 1] : null;
  }
}
