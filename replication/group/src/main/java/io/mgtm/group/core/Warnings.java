package io.mgtm.group.core;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What an operator should know of now. Whoever finds something says so again and again while it
 * lasts; what is not repeated is over. Owner thread.
 */
final class Warnings {
  /** What a peer says about every second must not come and go. */
  private static final long LASTS_MS = 10_000;

  /** Digits change while the cause is the same. */
  private static final Pattern NUMBERS = Pattern.compile("\\d+");

  /**
   * One that lasts.
   *
   * @param told what the log says of it
   */
  private record Warning(String sentence, long untilMs, String told, long toldMs) {
    boolean isToldAs(String other, long nowMs) {
      return nowMs - toldMs < LASTS_MS || withoutNumbers(told).equals(withoutNumbers(other));
    }

    private static String withoutNumbers(String text) {
      return NUMBERS.matcher(text).replaceAll("");
    }
  }

  private final Effects effects;
  private final Map<String, Warning> bySubject = new LinkedHashMap<>();
  private long nowMs;

  Warnings(Effects effects) {
    this.effects = effects;
  }

  void tick(long now) {
    nowMs = now;
    bySubject.values().removeIf(warning -> now >= warning.untilMs());
  }

  /**
   * Something is wrong now.
   *
   * @param subject tells warnings apart; one that is new is told at once, and what changes in it
   *     some seconds later
   * @param sentence what is wrong, and what to do; its numbers may change
   */
  void warn(String subject, String sentence) {
    Warning before = bySubject.get(subject);
    boolean isTold = before != null && before.isToldAs(sentence, nowMs);
    bySubject.put(
        subject,
        new Warning(
            sentence,
            nowMs + LASTS_MS,
            isTold ? before.told() : sentence,
            isTold ? before.toldMs() : nowMs));
    if (!isTold) {
      effects.warned(sentence);
    }
  }

  void clear(String subject) {
    bySubject.remove(subject);
  }

  List<String> sentences() {
    return bySubject.values().stream().map(Warning::sentence).toList();
  }
}
