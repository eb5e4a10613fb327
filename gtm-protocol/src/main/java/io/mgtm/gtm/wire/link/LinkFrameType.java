package io.mgtm.gtm.wire.link;

/** The frames of a link: below 64 those of gateways, from 65 on those of nodes. */
public enum LinkFrameType {
  HELLO(1),
  AUTH(2),
  ATTACH(3),
  COMMANDS(4),
  CLOSE(5),
  PING(6),
  ADMIN(7),
  PRESENT(8),
  PULL(9),

  CHALLENGE(65),
  LEADERSHIP(66),
  ATTACHED(67),
  REFUSED(68),
  REPLIES(69),
  PONG(70),
  ADMIN_REPLY(71),
  ENTRIES(72),
  PIECE(73);

  private static final int NODES_FROM = 64;
  private static final LinkFrameType[] BY_CODE = new LinkFrameType[128];

  static {
    for (LinkFrameType type : values()) {
      BY_CODE[type.code] = type;
    }
  }

  private final byte code;

  LinkFrameType(int code) {
    this.code = (byte) code;
  }

  /** The value on the link. */
  public byte code() {
    return code;
  }

  /** Whether nodes send it. */
  public boolean fromNode() {
    return code > NODES_FROM;
  }

  /** The type of a code, or null when this version has none. */
  public static LinkFrameType ofCode(byte code) {
    return code >= 0 ? BY_CODE[code] : null;
  }
}
