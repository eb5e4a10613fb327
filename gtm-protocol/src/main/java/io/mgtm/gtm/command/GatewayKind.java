package io.mgtm.gtm.command;

/** What a gateway is: a proxy, or the part of a group's node that serves its own clients. */
public enum GatewayKind {
  PROXY(0),
  NODE(1);

  private final int code;

  GatewayKind(int code) {
    this.code = code;
  }

  /** The value on the link and in the log. */
  public int code() {
    return code;
  }

  /** The kind of a link's or log's value, or null when there is none. */
  public static GatewayKind ofCode(int code) {
    return switch (code) {
      case 0 -> PROXY;
      case 1 -> NODE;
      default -> null;
    };
  }
}
