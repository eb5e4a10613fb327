package io.mgtm.ha.kit;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** Finds what somebody may have meant by a name that is not known. */
public final class Nearest {
  private Nearest() {}

  /**
   * The known name that is nearest, unless none is near: two letters, or a third of it, may differ.
   */
  public static Optional<String> of(String name, Collection<String> known) {
    return known.stream()
        .min(Comparator.comparingInt(other -> distance(name, other)))
        .filter(other -> distance(name, other) <= Math.max(2, other.length() / 3));
  }

  /** {@code unknown "nam"; did you mean "name"? known are ...}, in words for a message. */
  public static String unknown(String what, String name, Collection<String> known) {
    return "unknown %s \"%s\"%s; known are %s"
        .formatted(
            what,
            name,
            of(name, known).map(other -> ", did you mean \"" + other + "\"?").orElse(""),
            String.join(", ", known.stream().sorted().toList()))
        .replace("?;", "?");
  }

  private static int distance(String a, String b) {
    return LevenshteinDistance.getDefaultInstance()
        .apply(a.toLowerCase(Locale.ROOT), b.toLowerCase(Locale.ROOT));
  }
}
