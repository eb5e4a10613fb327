package io.mgtm.group.member;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Remembers that the disk refused an entry, and says so now and then. Owner thread. */
final class RoomWatch {
  private static final Logger log = LoggerFactory.getLogger(RoomWatch.class);
  private static final long TELL_MS = 10_000;

  private final String member;
  private boolean refused;
  private String reason = "";
  private long refusedMs;
  private long toldMs;

  RoomWatch(String member, long nowMs) {
    this.member = member;
    this.toldMs = nowMs - TELL_MS;
  }

  void refused(String why, long nowMs) {
    if (!refused && nowMs - toldMs >= TELL_MS) {
      toldMs = nowMs;
      log.warn("Member {} cannot store entries: {}", member, why);
    }
    refused = true;
    reason = why;
    refusedMs = nowMs;
  }

  /**
   * What an operator should know of it, or empty. Small entries may have room in between, which
   * does not end it.
   */
  String warning(long nowMs) {
    return reason.isEmpty() || nowMs - refusedMs >= TELL_MS
        ? ""
        : "%s cannot store entries: %s; it goes on by itself when there is room"
            .formatted(member, reason);
  }

  boolean isRefused() {
    return refused;
  }

  void hasRoom() {
    refused = false;
  }
}
