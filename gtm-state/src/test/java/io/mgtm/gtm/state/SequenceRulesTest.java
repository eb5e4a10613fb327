package io.mgtm.gtm.state;

import static io.mgtm.gtm.command.SequenceCommand.UNSET;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.Reply.Reason;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SequenceReply;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SequenceRulesTest {
  private static final String KEY = "db.public.s\0";

  private final GtmState state = new GtmState(10_000);

  private Reply apply(SequenceCommand command) {
    state.beginEntry(0);
    return state.apply(command);
  }

  private List<Sequence> all() {
    List<Sequence> all = new ArrayList<>();
    state.tables().sequences().forEach(all::add);
    return all;
  }

  private void init(long increment, long min, long max, long start, boolean cycle) {
    assertThat(apply(new SequenceCommand.Init(KEY, increment, min, max, start, cycle)))
        .isInstanceOf(SequenceReply.Done.class);
  }

  private Long next() {
    Reply reply = apply(new SequenceCommand.NextValue(KEY));
    return reply instanceof SequenceReply.Value v ? v.value() : null;
  }

  private List<Long> next(int count) {
    List<Long> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      values.add(next());
    }
    return values;
  }

  private Reason refused(SequenceCommand command) {
    return ((Reply.Rejected) apply(command)).reason();
  }

  @Test
  void defaultsAreThoseOfItsDirection() {
    init(UNSET, UNSET, UNSET, UNSET, false);
    assertThat(next(3)).containsExactly(1L, 2L, 3L);
    apply(new SequenceCommand.Close(KEY));
    init(-1, -5, -1, -1, false);
    assertThat(next(3)).containsExactly(-1L, -2L, -3L);
  }

  @Test
  void anExhaustedSequenceSaysSoAndStaysSo() {
    init(5, 10, 22, 10, false);
    assertThat(next(3)).containsExactly(10L, 15L, 20L);
    Reply reply = apply(new SequenceCommand.NextValue(KEY));
    assertThat(reply)
        .isEqualTo(
            new Reply.Rejected(
                Reason.SEQUENCE_EXHAUSTED,
                "nextval: reached maximum value of sequence \"db.public.s\" (22)",
                ""));
    assertThat(next()).isNull();
  }

  @Test
  void aCycleGoesOnAtTheOtherEnd() {
    init(5, 10, 22, 20, true);
    assertThat(next(4)).containsExactly(20L, 10L, 15L, 20L);
    apply(new SequenceCommand.Close(KEY));
    init(-7, -20, -1, -1, true);
    assertThat(next(5)).containsExactly(-1L, -8L, -15L, -1L, -8L);
  }

  @Test
  void theEndsOf64BitsDoNotOverflow() {
    init(Long.MAX_VALUE / 2, 1, Long.MAX_VALUE - 1, 1, false);
    assertThat(next(3)).containsExactly(1L, Long.MAX_VALUE / 2 + 1, null);
    apply(new SequenceCommand.Close(KEY));
    init(Long.MIN_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 1, 5, true);
    assertThat(next(3)).containsExactly(5L, Long.MIN_VALUE + 5, Long.MAX_VALUE - 1);
  }

  @Test
  void setValueRestartsHereOrAfterIt() {
    init(1, 1, 100, 1, false);
    next(5);
    apply(new SequenceCommand.SetValue(KEY, 50, true));
    assertThat(next()).isEqualTo(51);
    apply(new SequenceCommand.SetValue(KEY, 70, false));
    assertThat(next(2)).containsExactly(70L, 71L);
  }

  @Test
  void alterKeepsTheValueUnlessItRestarts() {
    init(1, 1, 100, 1, false);
    next(5);
    apply(new SequenceCommand.Alter(KEY, 10, 1, 100, 1, 5, false, false));
    assertThat(next()).isEqualTo(15);
    apply(new SequenceCommand.Alter(KEY, 10, 1, 100, 1, 40, false, true));
    assertThat(next(2)).containsExactly(40L, 50L);
  }

  @Test
  void renameMovesAllOfItAndRefusesATakenName() {
    init(1, 1, 100, 1, false);
    next(2);
    String other = "db.public.other\0";
    apply(new SequenceCommand.Init(other, 1, 1, 9, 1, false));
    assertThat(refused(new SequenceCommand.Rename(KEY, other))).isEqualTo(Reason.SEQUENCE_EXISTS);
    apply(new SequenceCommand.Close(other));
    apply(new SequenceCommand.Rename(KEY, other));
    assertThat(refused(new SequenceCommand.NextValue(KEY))).isEqualTo(Reason.NO_SUCH_SEQUENCE);
    assertThat(apply(new SequenceCommand.NextValue(other)))
        .isEqualTo(new SequenceReply.Value(io.mgtm.gtm.command.CommandType.NEXT_VALUE, other, 3));
  }

  @Test
  void droppingADatabaseTakesItsSequencesOnly() {
    for (String key : List.of("db.a.x\0", "db.b.y\0", "db2.a.x\0", "dbx\0")) {
      apply(new SequenceCommand.Init(key, 1, 1, 9, 1, false));
    }
    apply(new SequenceCommand.CloseDatabase("db\0"));
    assertThat(all().stream().map(s -> s.key)).containsExactlyInAnyOrder("db2.a.x\0", "dbx\0");
  }

  @Test
  void closingWhatIsNotThereSucceeds() {
    assertThat(apply(new SequenceCommand.Close(KEY))).isInstanceOf(SequenceReply.Done.class);
  }

  @Test
  void senselessBoundsAreRefused() {
    assertThat(refused(new SequenceCommand.Init(KEY, 0, 1, 9, 1, false)))
        .isEqualTo(Reason.SEQUENCE_BOUNDS);
    assertThat(refused(new SequenceCommand.Init(KEY, 1, 9, 1, 5, false)))
        .isEqualTo(Reason.SEQUENCE_BOUNDS);
    assertThat(refused(new SequenceCommand.Init(KEY, 1, 1, 9, 10, false)))
        .isEqualTo(Reason.SEQUENCE_BOUNDS);
    init(1, 1, 9, 1, false);
    assertThat(refused(new SequenceCommand.Init(KEY, 1, 1, 9, 1, false)))
        .isEqualTo(Reason.SEQUENCE_EXISTS);
    assertThat(refused(new SequenceCommand.Alter(KEY, 0, 1, 9, 1, 1, false, false)))
        .isEqualTo(Reason.SEQUENCE_BOUNDS);
  }

  /** Passing over n values gives the value that n draws would have given. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aCrashPassesOverExactlyTheReservedDraws(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      long increment = (1L + random.nextInt(9)) * (random.nextBoolean() ? 1 : -1);
      long min = -random.nextInt(200);
      long max = random.nextInt(2_000);
      boolean cycle = random.nextBoolean();
      long start = min + random.nextInt((int) (max - min) + 1);
      apply(new SequenceCommand.Close(KEY));
      init(increment, min, max, start, cycle);
      next(random.nextInt(150));
      Sequence sequence = all().get(0);
      Sequence drawn = sequence.copyAs(KEY);
      long draws = sequence.reservation().reserved() - sequence.reservation().used();
      for (long i = 0; i < draws; i++) {
        drawn.draw();
      }
      state.tables().sequences().skipReserved();
      assertThat(all().get(0).value)
          .as(
              "increment %d, %d..%d from %d, cycle %s, %d draws",
              increment, min, max, start, cycle, draws)
          .isEqualTo(drawn.value);
    }
  }

  @Test
  void aShortSequenceIsNotUsedUpByCrashes() {
    init(1, 1, 10, 1, false);
    next(2);
    state.tables().sequences().skipReserved();
    assertThat(next()).isNotNull().isLessThanOrEqualTo(8);
  }

  @Test
  void valuesStayExactOverManyDraws() {
    init(3, 1, UNSET, 1, false);
    BigInteger expected = BigInteger.ONE;
    for (int i = 0; i < 20_000; i++) {
      assertThat(next()).isEqualTo(expected.longValueExact());
      expected = expected.add(BigInteger.valueOf(3));
    }
  }
}
