package io.mgtm.ha.api;

import io.mgtm.common.Rarely;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who asked a controller for what, from where, and what came of it: a line of the log each. Any
 * thread.
 */
final class Audit {
  /** So long may be what somebody else has written. */
  static final int TEXT_MAX = 300;

  private static final Logger log = LoggerFactory.getLogger("io.mgtm.ha.audit");
  private final Rarely refusals = new Rarely();

  /** What a caller has asked for and may ask. */
  void asked(Caller caller, String what, String result) {
    log.info("audit: {} asked: {}: {}", clean(caller.by()), clean(what), clean(result));
  }

  /** What somebody may not ask; a stranger's tries do not fill a disk. */
  void refused(String who, String what, String why) {
    refusals.run(
        more ->
            log.warn(
                "audit: {} asked: {}: refused: {}{}", clean(who), clean(what), clean(why), more));
  }

  /** One line, however long and of whatever characters it was. */
  static String clean(String text) {
    String line = text.replaceAll("\\p{C}", "?");
    return line.length() <= TEXT_MAX ? line : line.substring(0, TEXT_MAX) + "...";
  }
}
