package io.mgtm.gtm.wire.link;

import java.util.UUID;

/** Numbers of the link protocol. */
public final class LinkFormat {
  /** The first bytes of a link: "MGTM". An XC client's startup packet never begins with an M. */
  public static final int MAGIC = 0x4d47544d;

  /** The version that this program speaks. */
  public static final int VERSION = 5;

  /** The oldest version of gateways that nodes understand. */
  public static final int VERSION_MIN = 1;

  /** From this version on gateways keep entries, as mode lazy needs it. */
  public static final int VERSION_ENTRIES = 2;

  /** From this version on gateways take long replies in pieces. */
  public static final int VERSION_PIECES = 3;

  /** From this version on nodes tell of which group they are. */
  public static final int VERSION_GROUP = 4;

  /** From this version on gateways ping every {@link #BEAT_MS}, also when nothing is asked. */
  public static final int VERSION_BEATS = 5;

  /** Between two signs of life of a gateway. */
  public static final int BEAT_MS = 3_000;

  /** Magic, version and flags. */
  public static final int PREFACE_BYTES = 8;

  /** The most that a frame takes after its length. */
  public static final int FRAME_BYTES_MAX = 4 << 20;

  /** The same before a gateway has said who it is. */
  public static final int FIRST_FRAME_BYTES_MAX = 4 << 10;

  /** The same of an operator who may open no session. */
  public static final int REQUEST_BYTES_MAX = 8 << 10;

  /** The most that one command takes, so that it fits an entry of the log. */
  public static final int COMMAND_BYTES_MAX = 96 * 1024 - 64;

  /** A frame's length and type. */
  public static final int FRAME_HEAD_BYTES = Integer.BYTES + 1;

  /** HMAC-SHA256, and the nonce of a challenge. */
  public static final int SECRET_BYTES = 32;

  /** Commands of a session that wait for their replies. */
  public static final int WINDOW_COMMANDS = 16_384;

  /** Bytes of commands of a session that wait for their replies. */
  public static final int WINDOW_BYTES = 8 << 20;

  /** Entries that a gateway keeps or a leader is presented with, in bytes. */
  public static final int ENTRIES_BYTES_MAX = 64 << 20;

  /** The longest name of a gateway or member. */
  public static final int NAME_CHARS_MAX = 63;

  /** The longest {@code host:port}. */
  public static final int ADDRESS_CHARS_MAX = 263;

  /** The longest message or hint, in bytes of UTF-8. */
  public static final int TEXT_BYTES_MAX = 4_096;

  /** Set in the ids of sessions that gateways choose. */
  public static final long SESSION_BIT = 1L << 62;

  /** Stands for no group, or one that is not known. */
  static final UUID NO_GROUP = new UUID(0, 0);

  private LinkFormat() {}

  /** Whether a gateway may choose this id: positive, with {@link #SESSION_BIT}. */
  public static boolean isGatewaySession(long session) {
    return session > 0 && (session & SESSION_BIT) != 0;
  }

  /** Whether it is a name of a gateway or member: letters, digits, {@code . _ -}. */
  public static boolean isName(String name) {
    if (name.isEmpty() || name.length() > NAME_CHARS_MAX) {
      return false;
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!letter && !(c >= '0' && c <= '9') && c != '.' && c != '_' && c != '-') {
        return false;
      }
    }
    return true;
  }
}
