package io.mgtm.query.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.fleet.Difference;
import io.mgtm.query.fleet.Ejection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said of other servers by a transaction, and when. */
class DoubtsTest {
  private final List<String> certain = new ArrayList<>();
  private final Doubts doubts = new Doubts();

  private void doubt(Doubts.Given given, String what) {
    given.doubt(null, new Difference(Ejection.DIFFERS, what));
  }

  @Test
  void itCountsWithTheCommitAndAtOnceAfterIt() {
    Doubts.Given first = doubts.next();
    doubts.mark();
    Doubts.Given second = doubts.next();
    doubt(first, "first");
    assertThat(certain).isEmpty();
    doubts.commit((at, what) -> certain.add(what.text()));
    assertThat(certain).containsExactly("first");
    doubt(second, "second");
    assertThat(certain).containsExactly("first", "second");
  }

  @Test
  void whatIsUndoneDoesNotCount() {
    doubt(doubts.next(), "kept");
    doubt(doubts.next(), "of the same server");
    int mark = doubts.mark();
    Doubts.Given undone = doubts.next();
    doubt(undone, "undone");
    doubts.undo(mark);
    doubt(doubts.next(), "after it");
    doubts.commit((at, what) -> certain.add(what.text()));
    doubt(undone, "late");
    assertThat(certain).containsExactly("kept", "after it");
  }

  @Test
  void theNextTransactionBeginsAnew() {
    Doubts.Given rolledBack = doubts.next();
    doubts.undo(0);
    doubts.end();
    doubt(rolledBack, "late");
    doubt(doubts.next(), "new");
    assertThat(certain).isEmpty();
    doubts.commit((at, what) -> certain.add(what.text()));
    assertThat(certain).containsExactly("new");
  }
}
