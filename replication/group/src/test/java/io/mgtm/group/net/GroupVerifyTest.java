package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.stack.Protocol;
import org.jgroups.util.TimeScheduler;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The clock is the test's; nothing reads the wall clock. */
class GroupVerifyTest {
  private static final long TIMEOUT_MS = 150;

  private final Address one = UUID.randomUUID();
  private final Address two = UUID.randomUUID();
  private final List<Address> dead = new ArrayList<>();
  private final List<Address> asked = new ArrayList<>();
  private int timers;
  private long nowMs = Long.MAX_VALUE / 1_000_000; // soon to turn negative
  private final GroupVerify verify =
      new GroupVerify(() -> TimeUnit.MILLISECONDS.toNanos(1) * nowMs, scheduler());

  private TimeScheduler scheduler() {
    return (TimeScheduler)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {TimeScheduler.class},
            (proxy, method, arguments) -> {
              timers++;
              return null;
            });
  }

  @BeforeEach
  void connect() {
    verify.setTimeout(TIMEOUT_MS);
    verify.setUpProtocol(
        new Protocol() {
          @Override
          public Object up(Event event) {
            if (event.getType() == Event.SUSPECT) {
              dead.addAll(event.arg());
            }
            return null;
          }
        });
    verify.setDownProtocol(
        new Protocol() {
          @Override
          public Object down(Message message) {
            asked.add(message.getDest());
            return null;
          }

          @Override
          public Object down(Event event) {
            return null;
          }
        });
  }

  private void suspect(Address member) {
    verify.up(new Event(Event.SUSPECT, List.of(member)));
  }

  private void pass(long ms) {
    nowMs += ms;
    verify.run();
  }

  @Test
  void whoDoesNotAnswerInTimeIsDead() {
    suspect(one);
    assertThat(asked).containsExactly(one);
    assertThat(timers).isEqualTo(1);
    pass(TIMEOUT_MS - 1);
    assertThat(dead).isEmpty();
    suspect(one); // does not begin anew
    pass(1);
    assertThat(dead).containsExactly(one);
    pass(TIMEOUT_MS);
    assertThat(dead).hasSize(1);
  }

  @Test
  void whoAnswersIsNot() {
    suspect(one);
    suspect(two);
    verify.unsuspect(one);
    pass(TIMEOUT_MS);
    assertThat(dead).containsExactly(two);
  }

  @Test
  void whoHasLeftTheViewIsNotVerified() {
    suspect(one);
    suspect(two);
    verify.down(new Event(Event.VIEW_CHANGE, View.create(two, 2, two)));
    assertThat(verify.getSuspects()).contains(two.toString()).doesNotContain(one.toString());
    pass(TIMEOUT_MS);
    assertThat(dead).containsExactly(two);
  }
}
