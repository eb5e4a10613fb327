package io.mgtm.query.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.check.Anomaly.Kind;
import io.mgtm.query.check.Transaction.Append;
import io.mgtm.query.check.Transaction.Isolation;
import io.mgtm.query.check.Transaction.Outcome;
import io.mgtm.query.check.Transaction.Read;
import io.mgtm.query.check.Transaction.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each kind of anomaly is found for what it is, and what is none is not. */
class PlantedAnomaliesTest {
  private static final Isolation RC = Isolation.READ_COMMITTED;
  private static final Isolation RR = Isolation.REPEATABLE_READ;
  private static final Isolation SERIALIZABLE = Isolation.SERIALIZABLE;
  private static final long LATER = 100;

  private final List<Transaction> history = new ArrayList<>();
  private final Map<String, List<Integer>> finals = new HashMap<>();

  private static Step append(String key, int element) {
    return new Append(key, element, 1);
  }

  private static Step read(String key, Integer... list) {
    return new Read(key, List.of(list), 1);
  }

  /** One that ran beside all others. */
  private void ran(Isolation isolation, Outcome outcome, Step... steps) {
    history.add(new Transaction(isolation, false, outcome, LATER, List.of(steps)));
  }

  private void committed(Isolation isolation, Step... steps) {
    ran(isolation, Outcome.COMMITTED, steps);
  }

  /** One that may have run at another server. */
  private void far(Isolation isolation, Step... steps) {
    history.add(new Transaction(isolation, true, Outcome.COMMITTED, LATER, List.of(steps)));
  }

  private void inTheEnd(String key, Integer... list) {
    finals.put(key, List.of(list));
  }

  private List<Kind> found(boolean forbidden) {
    return ListAppendChecker.check(history, finals).stream()
        .filter(anomaly -> anomaly.forbidden() == forbidden)
        .map(Anomaly::kind)
        .toList();
  }

  private void assertForbidden(Kind... kinds) {
    assertThat(found(true)).containsExactlyInAnyOrder(kinds);
  }

  private void assertPermitted(Kind... kinds) {
    assertForbidden();
    assertThat(found(false)).containsExactlyInAnyOrder(kinds);
  }

  @Test
  void transactionsInARowHaveNone() {
    committed(RR, append("x", 1), append("y", 2), read("x", 1));
    committed(RC, read("x", 1), append("x", 3), read("x", 1, 3), append("x", 4));
    ran(RC, Outcome.ABORTED, append("x", 5), read("x", 1, 3, 4, 5));
    ran(RC, Outcome.UNKNOWN, append("y", 6));
    ran(RC, Outcome.UNKNOWN, append("y", 7));
    far(RR, read("x"), read("y"));
    far(RR, read("x", 1, 3, 4), read("y", 2, 6));
    inTheEnd("x", 1, 3, 4);
    inTheEnd("y", 2, 6);
    assertPermitted();
  }

  @Test
  void appendIsLost() {
    committed(RC, append("x", 1));
    committed(RC, append("x", 2));
    inTheEnd("x", 2);
    assertForbidden(Kind.LOST_APPEND);
  }

  @Test
  void andOneThatWasSeenThoughItWasNotAcknowledged() {
    ran(RC, Outcome.UNKNOWN, append("x", 1), append("y", 2));
    inTheEnd("x", 1);
    inTheEnd("y");
    assertForbidden(Kind.LOST_APPEND);
  }

  @Test
  void appendIsDoneTwice() {
    ran(RC, Outcome.UNKNOWN, append("x", 1));
    inTheEnd("x", 1, 1);
    assertForbidden(Kind.DUPLICATE_APPEND);
  }

  @Test
  void elementIsOfNobodyOrOfAnotherList() {
    committed(RC, append("y", 1));
    inTheEnd("x", 7);
    assertForbidden(Kind.UNKNOWN_ELEMENT);
    inTheEnd("x", 1);
    assertForbidden(Kind.UNKNOWN_ELEMENT);
  }

  @Test
  void listsDiffer() {
    committed(RC, append("x", 1));
    committed(RC, append("x", 2));
    committed(RC, read("x", 2));
    inTheEnd("x", 1, 2);
    assertForbidden(Kind.INCOMPATIBLE_ORDER);
  }

  @Test
  void ownAppendIsNotSeen() {
    committed(RC, append("x", 1), read("x"));
    inTheEnd("x", 1);
    assertThat(found(true)).contains(Kind.INTERNAL);
  }

  @Test
  void ownAppendIsSeenBeforeItIsMade() {
    committed(RC, read("x", 1), append("x", 1));
    inTheEnd("x", 1);
    assertForbidden(Kind.INTERNAL);
  }

  @Test
  void snapshotChanges() {
    committed(RC, append("x", 1));
    committed(RR, read("x"), read("x", 1));
    inTheEnd("x", 1);
    assertForbidden(Kind.INTERNAL, Kind.G_SINGLE);
  }

  @Test
  void statementsOfReadCommittedSeeWhatIsNew() {
    committed(RC, append("x", 1));
    committed(RC, read("x"), read("x", 1));
    inTheEnd("x", 1);
    assertPermitted(Kind.G_SINGLE);
  }

  @Test
  void readIsStale() {
    history.add(new Transaction(RC, false, Outcome.COMMITTED, 3, List.of(append("x", 1))));
    history.add(new Transaction(RC, false, Outcome.COMMITTED, 9, List.of(append("x", 2))));
    inTheEnd("x", 1, 2);
    far(RC, new Read("x", List.of(), 3));
    far(RC, new Read("x", List.of(1), 9));
    assertForbidden();
    far(RC, new Read("x", List.of(), 4));
    assertForbidden(Kind.STALE_READ);
    far(RC, new Read("x", List.of(1), 10));
    assertForbidden(Kind.STALE_READ, Kind.STALE_READ);
  }

  @Test
  void snapshotIsOfTheFirstStatement() {
    history.add(new Transaction(RC, false, Outcome.COMMITTED, 3, List.of(append("x", 1))));
    inTheEnd("x", 1);
    far(RR, new Read("y", List.of(), 2), new Read("x", List.of(), 5));
    assertForbidden();
    far(RC, new Read("y", List.of(), 2), new Read("x", List.of(), 5));
    assertForbidden(Kind.STALE_READ);
  }

  @Test
  void appendComesBeforeOneThatWasAcknowledged() {
    history.add(new Transaction(RC, false, Outcome.COMMITTED, 3, List.of(append("x", 1))));
    committed(RC, new Append("x", 2, 4));
    inTheEnd("x", 2, 1);
    assertForbidden(Kind.LATE_APPEND);
  }

  @Test
  void writesAreInTwoOrders() {
    committed(RC, append("x", 1), append("y", 2));
    committed(RC, append("x", 3), append("y", 4));
    inTheEnd("x", 1, 3);
    inTheEnd("y", 4, 2);
    assertForbidden(Kind.G0);
  }

  @Test
  void whatWasUndoneIsSeen() {
    ran(RC, Outcome.ABORTED, append("x", 1));
    committed(RC, read("x", 1));
    assertForbidden(Kind.G1A);
  }

  @Test
  void whatWasUndoneIsThereInTheEnd() {
    ran(RC, Outcome.ABORTED, append("x", 1));
    inTheEnd("x", 1);
    assertForbidden(Kind.G1A);
  }

  @Test
  void transactionIsSeenByHalf() {
    committed(RC, append("x", 1), append("x", 2));
    committed(RC, read("x", 1));
    inTheEnd("x", 1, 2);
    assertThat(found(true)).contains(Kind.G1B);
  }

  @Test
  void twoSeeEachOther() {
    committed(RC, append("x", 1), read("y", 2));
    committed(RC, append("y", 2), read("x", 1));
    assertForbidden(Kind.G1C);
  }

  @Test
  void snapshotIsNone() {
    committed(RC, append("x", 1), append("y", 2));
    committed(RR, read("x"), read("y", 2));
    inTheEnd("x", 1);
    assertForbidden(Kind.G_SINGLE);
  }

  @Test
  void norIsThatOfAnotherServer() {
    committed(RC, append("x", 1));
    committed(RC, read("x", 1), append("y", 2));
    far(RR, read("y", 2), read("x"));
    inTheEnd("x", 1);
    assertForbidden(Kind.G_SINGLE);
  }

  @Test
  void updateIsLost() {
    Step[] one = {read("x"), append("x", 1)};
    committed(RR, one);
    committed(RR, read("x"), append("x", 2));
    inTheEnd("x", 1, 2);
    assertForbidden(Kind.G_SINGLE);
    history.clear();
    committed(RC, one);
    committed(RC, read("x"), append("x", 2));
    assertPermitted(Kind.G_SINGLE);
  }

  @Test
  void snapshotsAreInTwoOrders() {
    committed(RC, append("x", 1));
    committed(RC, append("y", 2));
    committed(RR, read("x", 1), read("y"));
    committed(RR, read("x"), read("y", 2));
    inTheEnd("x", 1);
    inTheEnd("y", 2);
    assertForbidden(Kind.G_NONADJACENT);
  }

  @Test
  void whichTheyMayBeWhereOneIsOfAnotherServer() {
    committed(RC, append("x", 1));
    committed(RC, append("y", 2));
    committed(RR, read("x", 1), read("y"));
    far(RR, read("x"), read("y", 2));
    inTheEnd("x", 1);
    inTheEnd("y", 2);
    assertPermitted(Kind.G_NONADJACENT);
  }

  private void skew(Isolation one, Isolation other) {
    committed(one, read("x"), append("y", 1));
    committed(other, read("y"), append("x", 2));
    inTheEnd("x", 2);
    inTheEnd("y", 1);
  }

  @Test
  void writesMayBeSkewed() {
    skew(RR, RR);
    assertPermitted(Kind.G2);
  }

  @Test
  void butNotWhereAllIsSerializable() {
    skew(SERIALIZABLE, SERIALIZABLE);
    assertForbidden(Kind.G2);
  }

  @Test
  void oneOfAnotherLevelMayBreakTheOrder() {
    skew(SERIALIZABLE, RR);
    assertPermitted(Kind.G2);
  }
}
