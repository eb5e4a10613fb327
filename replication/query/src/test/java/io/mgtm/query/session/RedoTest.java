package io.mgtm.query.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RedoTest {
  private static final String SETTINGS = "SELECT pg_catalog.set_config('TimeZone', 'UTC', true)";

  private final Redo redo = new Redo();

  private static Effects text(String sql) {
    Effects effects = new Effects(StandardCharsets.UTF_8);
    effects.text(Prepared.effect("", sql), "UPDATE 1");
    return effects;
  }

  private static ByteBuf written(Effects effects) {
    ByteBuf out = Unpooled.buffer();
    effects.writeTo(out);
    return out;
  }

  @Test
  void effectsAreReadAsTheyWereWritten() {
    Effects effects = text("update t set ä = 1");
    effects.setting(Prepared.effect("", "set a = b"), "SET", null);
    effects.same(
        new Prepared("s", "delete from t where id = $1", new int[] {23}, null, null),
        Unpooled.wrappedBuffer(new byte[] {0, 1, 2}),
        null);
    effects.asReplica();
    ByteBuf first = written(effects);
    RedoCodec.Statements statements = new RedoCodec.Statements();
    Effects read = Effects.read(first.duplicate(), statements);
    assertThat(read.size()).isEqualTo(2);
    assertThat(written(read)).isEqualTo(first);
    assertThat(statements.of("a", new int[0])).isSameAs(statements.of("a", new int[0]));
    assertThat(statements.of("a", new int[0])).isNotSameAs(statements.of("a", new int[] {23}));
  }

  /** A table that was dropped may have come again with columns of other types. */
  @Test
  void statementsAreOthersAfterAChangeOfTheSchema() {
    RedoCodec.Statements statements = new RedoCodec.Statements();
    Prepared before = statements.of("a", new int[0]);
    for (String tag : new String[] {"UPDATE 1", "SELECT 1", "SET", null}) {
      Effects effects = new Effects(StandardCharsets.UTF_8);
      effects.text(Prepared.effect("", "x"), tag);
      Effects.read(written(effects), statements);
      assertThat(statements.of("a", new int[0])).isSameAs(before);
    }
    Effects effects = new Effects(StandardCharsets.UTF_8);
    effects.text(Prepared.effect("", "drop table t"), "DROP TABLE");
    Effects.read(written(effects), statements);
    assertThat(statements.of("a", new int[0])).isNotSameAs(before);
  }

  @Test
  void settingsStandBeforeWhatIsReadByThemAndAgainAfterGoingBack() {
    redo.add(text("update a"), SETTINGS);
    redo.add(text("update b"), SETTINGS);
    int mark = redo.mark();
    redo.add(text("update c"), SETTINGS);
    redo.cut(mark);
    redo.add(text("update d"), SETTINGS);
    String all = StandardCharsets.UTF_8.decode(redo.take()).toString();
    assertThat(all)
        .containsSubsequence("set_config", "update a", "update b", "set_config", "update d");
    assertThat(all).doesNotContain("update c");
    assertThat(redo.isEmpty()).isTrue();
  }

  @Test
  void whatIsAboutTheSessionAloneIsNotKept() {
    Effects effects = new Effects(StandardCharsets.UTF_8);
    effects.setting(Prepared.effect("", "set a = b"), "SET", null);
    redo.add(effects, SETTINGS);
    assertThat(redo.isEmpty()).isTrue();
  }

  @Test
  void tooMuchIsNotKeptWhateverIsUndone() {
    redo.add(text("update a"), SETTINGS);
    int mark = redo.mark();
    redo.add(text("update " + "x".repeat(Redo.BYTES_MAX)), SETTINGS);
    redo.cut(mark);
    assertThat(redo.isEmpty()).isFalse();
    ByteBuffer taken = redo.take();
    assertThat(taken).isNull();
    redo.copy("copy a from stdin", StandardCharsets.UTF_8, null, "COPY 1", SETTINGS);
    assertThat(redo.isEmpty()).isFalse();
    redo.clear();
    assertThat(redo.isEmpty()).isTrue();
  }
}
