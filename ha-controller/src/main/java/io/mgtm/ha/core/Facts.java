package io.mgtm.ha.core;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What kits know of their resources, for people to see; decisions do not rest on it. Bounded for
 * all resources of a node together, since a heartbeat that is too long for a datagram would cost
 * the node its leases. Owner thread.
 */
final class Facts {
  /** So many bytes of JSON at most, in one heartbeat. */
  static final int BYTES_MAX = 16_384;

  static final int RESOURCE_BYTES_MAX = 4_096;
  static final int VALUE_CHARS_MAX = 160;

  /** Of one sentence on how a hierarchy stands, and of all in one heartbeat. */
  static final int SENTENCE_CHARS_MAX = 300;

  static final int SENTENCES_BYTES_MAX = 16_384;
  private static final int KEY_CHARS_MAX = 80;

  /** What JSON makes of a character at most, and puts around two strings. */
  private static final int CHAR_BYTES_MAX = 6;

  private static final int ENTRY_BYTES = 6;

  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}+");

  /** What the state rests on is told as a {@link CopyReport}. */
  private static final Set<String> ELSEWHERE =
      Set.of(CopyReport.IN_SYNC, CopyReport.TOKEN, CopyReport.FOLLOWING);

  private int left;
  private int leftForSentences;

  Facts() {
    this(BYTES_MAX);
  }

  /** With so much room for facts, and for sentences, if that is less than what they may have. */
  Facts(int room) {
    left = Math.min(room, BYTES_MAX);
    leftForSentences = Math.min(room, SENTENCES_BYTES_MAX);
  }

  /**
   * A sentence that may quote what a program has printed: on one line, and as far as there is room.
   */
  String sentence(String text) {
    String line = CONTROL.matcher(text).replaceAll(" ");
    String kept = cut(line, SENTENCE_CHARS_MAX);
    if (bytes(kept) > leftForSentences) {
      kept = "…";
    }
    leftForSentences = Math.max(0, leftForSentences - bytes(kept));
    return kept;
  }

  /** Those of one resource, as far as there is room; the first that a kit names come first. */
  Map<String, String> of(Map<String, String> data) {
    int room = Math.min(left, RESOURCE_BYTES_MAX);
    Map<String, String> kept = new LinkedHashMap<>();
    for (Map.Entry<String, String> each : data.entrySet()) {
      String key = cut(each.getKey(), KEY_CHARS_MAX);
      String value = cut(each.getValue(), VALUE_CHARS_MAX);
      int bytes = bytes(key) + bytes(value) + ENTRY_BYTES;
      if (!ELSEWHERE.contains(key) && bytes <= room) {
        kept.put(key, value);
        room -= bytes;
        left -= bytes;
      }
    }
    return kept;
  }

  private static String cut(String text, int charsMax) {
    String cut = text.length() <= charsMax ? text : text.substring(0, charsMax - 1) + "…";
    // Half a pair of surrogates cannot be written.
    return new String(cut.getBytes(UTF_8), UTF_8);
  }

  /** As JSON has it, at most. */
  static int bytes(String text) {
    int bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean plain = c >= ' ' && c < 127 && c != '"' && c != '\\';
      bytes += plain ? 1 : CHAR_BYTES_MAX;
    }
    return bytes;
  }
}
