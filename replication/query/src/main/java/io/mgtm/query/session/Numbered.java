package io.mgtm.query.session;

import io.mgtm.query.sql.Numbers;
import io.mgtm.query.wire.Rows;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.List;

/**
 * A statement of the simple protocol that servers run with parameters in place of its numbers.
 *
 * @param values what follows the names in its Bind
 */
record Numbered(Prepared leader, Prepared others, ByteBuf values) {
  private static final int INTEGER = 23;

  /** What servers prepare, for all statements that differ in numbers only. */
  record Texts(Prepared leader, Prepared others) {
    static Texts of(Numbers numbers) {
      int[] types = new int[numbers.values().size()];
      Arrays.fill(types, INTEGER);
      return new Texts(prepared(numbers.sql(), types), prepared(numbers.othersSql(), types));
    }

    private static Prepared prepared(String sql, int[] types) {
      String name = "mgtm numbers " + Integer.toHexString(sql.hashCode());
      return new Prepared(name, sql, types, null, null);
    }

    Numbered with(Numbers numbers, Charset charset) {
      List<ByteBuf> values =
          numbers.values().stream()
              .map(value -> Unpooled.wrappedBuffer(value.getBytes(charset)))
              .toList();
      return new Numbered(leader, others, Rows.parameters(new int[0], values));
    }
  }
}
