package io.mgtm.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CreditWindowTest {

  private static final int SCHEDULES = 1_000;

  @ParameterizedTest
  @ValueSource(ints = {4, 5, 8, 33})
  void noScheduleFindsAMissingReceiveOrADeadlock(int window) {
    for (long seed = 0; seed < SCHEDULES; seed++) {
      assertThat(new CreditSimulation(seed, window, CreditWindow::new).run())
          .as("seed %d", seed)
          .isEmpty();
    }
  }

  @Test
  void aWindowWithoutTheReservedCreditIsCaught() {
    assertThat(findings(Greedy::new)).contains("deadlock");
  }

  @Test
  void aWindowThatNeverReturnsIsCaught() {
    assertThat(findings(Miser::new)).contains("deadlock");
  }

  @Test
  void aWindowThatReturnsTooMuchIsCaught() {
    assertThat(findings(Forger::new)).containsAnyOf("no receive", "returns");
  }

  @Test
  void refusesMoreCreditsThanTheWindow() {
    CreditWindow window = new CreditWindow(4);
    assertThatThrownBy(() -> window.returned(1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> window.returned(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThat(window.takeForMessage()).isZero();
    window.returned(1);
    assertThat(window.available()).isEqualTo(3);
  }

  @Test
  void keepsTheLastCreditForAReturn() {
    CreditWindow window = new CreditWindow(4);
    for (int i = 0; i < 3; i++) {
      window.takeForMessage();
    }
    assertThatThrownBy(window::takeForMessage).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(window::takeForReturn).isInstanceOf(IllegalStateException.class);
    window.reposted();
    window.reposted();
    assertThat(window.shouldReturn()).isTrue();
    assertThat(window.takeForReturn()).isEqualTo(2);
    assertThat(window.owed()).isZero();
  }

  @Test
  void refusesAWindowThatCannotWorkAndReceivesThatWereNotUsed() {
    assertThatThrownBy(() -> new CreditWindow(3)).isInstanceOf(IllegalArgumentException.class);
    CreditWindow window = new CreditWindow(4);
    for (int i = 0; i < 4; i++) {
      window.reposted();
    }
    assertThatThrownBy(window::reposted).isInstanceOf(IllegalStateException.class);
  }

  private static String findings(IntFunction<CreditWindow> kind) {
    StringBuilder all = new StringBuilder();
    for (long seed = 0; seed < SCHEDULES; seed++) {
      all.append(new CreditSimulation(seed, 4, kind).run());
    }
    return all.toString();
  }

  /** Spends its last credit on messages. */
  private static final class Greedy extends CreditWindow {
    Greedy(int window) {
      super(window);
    }

    @Override
    int reserved() {
      return 0;
    }
  }

  /** Gives credits back only with messages. */
  private static final class Miser extends CreditWindow {
    Miser(int window) {
      super(window);
    }

    @Override
    boolean shouldReturn() {
      return false;
    }
  }

  /** Owes two credits for one receive. */
  private static final class Forger extends CreditWindow {
    Forger(int window) {
      super(window);
    }

    @Override
    void reposted() {
      super.reposted();
      if (owed() < 4) {
        super.reposted();
      }
    }
  }
}
