package io.mgtm.query.suite;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * Why tests differ otherwise than by a refusal, where that is known: lines {@code TEST: why} of the
 * resource {@code known-differences.txt}.
 */
final class KnownDifferences {
  private final Map<String, String> reasons = new TreeMap<>();

  KnownDifferences() throws IOException {
    try (InputStream in = KnownDifferences.class.getResourceAsStream("known-differences.txt")) {
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> line.split(": ", 2))
          .forEach(parts -> reasons.put(parts[0], parts[1]));
    }
  }

  /** Why that test differs, or null. */
  String of(String test) {
    return reasons.get(test);
  }
}
