package io.mgtm.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.fault.History.Operation;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryTest {
  private static Operation next(long answer, long asked, long answered) {
    return new Operation("next", null, answer, asked, answered);
  }

  private static Operation last(long answer, long asked, long answered) {
    return new Operation("last", null, answer, asked, answered);
  }

  private static Operation set(long to, long asked, long answered) {
    return new Operation("set", to, null, asked, answered);
  }

  private static Operation begin(long transaction, long asked, long answered) {
    return new Operation("begin", null, transaction, asked, answered);
  }

  private static Operation commit(long transaction, long asked, long answered) {
    return new Operation("commit", transaction, null, asked, answered);
  }

  private static Operation snapshot(long ended, long asked, long answered) {
    return new Operation("snapshot", null, ended, asked, answered);
  }

  @SafeVarargs
  @SuppressWarnings("varargs") // read only
  private static boolean ofRegister(List<Operation>... clients) {
    return new History(RegisterSpec.class, List.of(clients)).isLinearizable();
  }

  @SafeVarargs
  @SuppressWarnings("varargs") // read only
  private static boolean ofTransactions(List<Operation>... clients) {
    return new History(TransactionSpec.class, List.of(clients)).isLinearizable();
  }

  @Test
  void whatOneClientSeesAfterAnotherIsExplained() {
    assertThat(
            ofRegister(
                List.of(next(1, 0, 10), next(2, 20, 30)),
                List.of(last(2, 40, 50), set(9, 60, 70), next(10, 80, 90))))
        .isTrue();
  }

  @Test
  void concurrentRequestsMayComeInAnyOrder() {
    assertThat(ofRegister(List.of(next(2, 0, 100)), List.of(next(1, 50, 120)))).isTrue();
  }

  @Test
  void aValueTwiceIsFound() {
    assertThat(ofRegister(List.of(next(1, 0, 10)), List.of(next(1, 20, 30)))).isFalse();
  }

  @Test
  void aReadOfThePastIsFound() {
    assertThat(ofRegister(List.of(next(1, 0, 10), next(2, 20, 30)), List.of(last(1, 40, 50))))
        .isFalse();
  }

  @Test
  void aLostWriteIsFound() {
    assertThat(ofRegister(List.of(set(7, 0, 10)), List.of(next(1, 20, 30)))).isFalse();
  }

  @Test
  void snapshotThatShowsWhatHasEndedIsExplained() {
    assertThat(
            ofTransactions(
                List.of(begin(0, 0, 10), commit(0, 20, 30)),
                List.of(begin(1, 0, 10), snapshot(0b01, 25, 40), commit(1, 50, 60)),
                List.of(snapshot(0b11, 70, 80))))
        .isTrue();
  }

  @Test
  void gxidTwiceIsFound() {
    assertThat(ofTransactions(List.of(begin(0, 0, 10)), List.of(begin(0, 5, 20)))).isFalse();
  }

  @Test
  void snapshotThatMissesAnAcknowledgedCommitIsFound() {
    assertThat(
            ofTransactions(
                List.of(begin(0, 0, 10), commit(0, 20, 30)), List.of(snapshot(0, 40, 50))))
        .isFalse();
  }

  @Test
  void snapshotThatShowsARunningTransactionAsEndedIsFound() {
    assertThat(
            ofTransactions(
                List.of(begin(0, 0, 10), commit(0, 60, 70)), List.of(snapshot(0b1, 40, 50))))
        .isFalse();
  }

  @Test
  void twoSnapshotsThatSeeTwoCommitsInOppositeOrderAreFound() {
    assertThat(
            ofTransactions(
                List.of(begin(0, 0, 10), commit(0, 20, 90)),
                List.of(begin(1, 0, 10), commit(1, 20, 90)),
                List.of(snapshot(0b01, 30, 40)),
                List.of(snapshot(0b10, 30, 40))))
        .isFalse();
  }
}
