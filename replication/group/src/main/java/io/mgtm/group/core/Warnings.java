package io.mgtm.group.core;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What an operator should know of now. Whoever finds something says so again and again while it
 * lasts; what is not repeated is over. Owner thread.
 */
final class Warnings {
  /** What a peer says about every second must not come and go. */
  private static final long LASTS_MS = 10_000;

  private record Warning(String sentence, long untilMs) {}

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
   * @param subject tells warnings apart; one that is new is told at once
   * @param sentence what is wrong, and what to do; its numbers may change
   */
  void warn(String subject, String sentence) {
    if (bySubject.put(subject, new Warning(sentence, nowMs + LASTS_MS)) == null) {
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
