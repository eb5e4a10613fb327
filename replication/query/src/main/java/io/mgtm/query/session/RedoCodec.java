package io.mgtm.query.session;

import io.mgtm.query.sql.Quoting;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** How texts stand in the log, and statements that were read from it. */
public final class RedoCodec {
  private RedoCodec() {}

  static void text(ByteBuf out, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length).writeBytes(bytes);
  }

  static String text(ByteBuf in) {
    return in.readCharSequence(in.readInt(), StandardCharsets.UTF_8).toString();
  }

  /** What sets something for the transaction, by a name that needs no quotes. */
  static String setConfig(String name, String value) {
    return "pg_catalog.set_config('%s', %s, true)".formatted(name, Quoting.literal(value));
  }

  /** An array of texts. */
  static String array(Collection<String> texts) {
    return texts.stream()
        .map(Quoting::literal)
        .collect(Collectors.joining(", ", "ARRAY[", "]::pg_catalog.text[]"));
  }

  /** The statements of one connection by which entries are replayed. One thread. */
  public static final class Statements {
    private static final int COUNT_MAX = 1_000;

    private record Key(String sql, String types) {}

    private final Map<Key, Prepared> known = new HashMap<>();
    private int number;

    /**
     * A text comes before the next statement. Where it changes the schema, the parameters of a
     * statement may be of other types after it: those that are known already are not used again.
     *
     * @param tag of its answer, or null
     */
    void follow(String tag) {
      boolean rows = tag == null || Character.isDigit(tag.charAt(tag.length() - 1));
      if (!rows && !tag.equals("SET")) {
        forget();
      }
    }

    private void forget() {
      known.clear();
      number = 0;
    }

    /** The same object for the same statement. */
    Prepared of(String sql, int[] types) {
      if (known.size() >= COUNT_MAX) {
        forget();
      }
      return known.computeIfAbsent(
          new Key(sql, Arrays.toString(types)),
          key -> new Prepared("mgtm replay " + number++, sql, types, null, null));
    }
  }
}
