package io.mgtm.gtm.command;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * Names that come from the wire (sequence keys, GIDs, node names) are bytes in an encoding that a
 * GTM does not know. They are kept as strings of ISO-8859-1, one char a byte, so that every byte
 * comes back as it came.
 */
public final class Names {
  /** Maps bytes to chars one to one. */
  public static final Charset BYTES = StandardCharsets.ISO_8859_1;

  private Names() {}

  /**
   * {@code name} for people: read as UTF-8, without the C terminator, control characters escaped.
   */
  public static String printable(String name) {
    String text = new String(name.getBytes(BYTES), StandardCharsets.UTF_8);
    StringBuilder out = new StringBuilder(text.length());
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == 0) {
      end--;
    }
    for (int i = 0; i < end; i++) {
      char c = text.charAt(i);
      if (Character.isISOControl(c)) {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }
}
