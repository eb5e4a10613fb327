package io.mgtm.ha.kit;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Arguments in one text: separated by spaces, quoted by {@code '} or {@code "} where need be. */
final class Words {
  private static final Pattern WORD = Pattern.compile("(?:[^\\s\"']|\"[^\"]*\"|'[^']*')+");
  private static final Pattern QUOTED = Pattern.compile("\"([^\"]*)\"|'([^']*)'");

  private Words() {}

  static List<String> of(String text) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(text);
    while (word.find()) {
      words.add(
          QUOTED
              .matcher(word.group())
              .replaceAll(
                  q -> Matcher.quoteReplacement(q.group(1) == null ? q.group(2) : q.group(1))));
    }
    return words;
  }
}
