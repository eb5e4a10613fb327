package io.mgtm.gtm.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.testing.LogLines;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the log says of a node whose link fails again and again. */
class LinkLogTest {
  private static final String WHY = "it refuses the link: the secret is that of a role";

  @RegisterExtension private final LogLines lines = new LogLines();
  private final SimTime time = new SimTime();
  private boolean refuses = true;
  private boolean away;
  private int refused;
  private LinkListener last;

  private final GroupUpstream upstream =
      new GroupUpstream(
          "p1",
          new LinkNodes(List.of(new Node()), address -> new Node()),
          time,
          new SplittableRandom(1),
          () -> {},
          new GatewayMetrics(new SimpleMeterRegistry()));

  @AfterEach
  void stop() {
    upstream.close();
  }

  private void run(long untilMs) {
    while (time.millis() < untilMs && time.step()) {}
  }

  private List<String> said() {
    return lines.list().stream()
        .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @Test
  void whatTheLeaderRefusesIsSaidOnceUntilItTakesIt() {
    upstream.start();
    run(60_000);
    assertThat(refused).isBetween(30, 130);
    assertThat(said()).hasSizeLessThan(6).containsOnlyOnce("No link to g1: " + WHY);
    assertThat(upstream.trouble()).endsWith("g1: " + WHY);
    lines.list().clear();
    refuses = false;
    run(70_000);
    assertThat(upstream.trouble()).isEmpty();
    assertThat(said()).containsExactly("Linked to g1 at g1", "g1 leads in term 1");
  }

  @Test
  void aNodeThatIsNotReachedAgainIsSaidOnceWithEachReason() {
    refuses = false;
    upstream.start();
    run(5_000);
    lines.list().clear();
    away = true;
    last.closed("it was cut");
    run(60_000);
    assertThat(said())
        .containsExactly(
            "Lost the link to g1 at g1: it was cut",
            "No leader: its link broke: it was cut",
            "No link to g1: it is away");
  }

  private final class Node extends IdleLink implements LinkConnector {
    private LinkListener listener;

    @Override
    public String address() {
      return "g1";
    }

    @Override
    public Link connect(LinkListener to) {
      listener = to;
      last = to;
      if (away) {
        time.after(1, () -> to.closed("it is away"));
        return this;
      }
      time.after(1, () -> to.leadership(new Leadership(true, 1, "g1", "g1", "g1", null)));
      return this;
    }

    @Override
    public void attach(long session, boolean fresh, long acked, boolean proxied) {
      LinkListener to = listener;
      if (refuses) {
        refused++;
        time.after(1, () -> to.refused(0, RefusalCode.PROTOCOL, "it is that of a role", ""));
        time.after(1, () -> to.closed(WHY));
      } else {
        time.after(1, () -> to.attached(session, 0));
      }
    }
  }
}
