package io.mgtm.gtm.gateway;

import io.mgtm.gtm.wire.link.Leadership;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells about changes of the leader, and how long clients waited for the new one. */
final class Failover {
  private static final Logger log = LoggerFactory.getLogger(Failover.class);

  private final GatewayTime time;
  private final GatewayMetrics metrics;
  private boolean everLed;
  private boolean counting;
  private boolean waitsForReply;
  private long sinceNanos;
  private int repeated;
  private String leader = "";
  private String told = "";

  Failover(GatewayTime time, GatewayMetrics metrics) {
    this.time = time;
    this.metrics = metrics;
    this.sinceNanos = time.nanos();
  }

  void nobodyLeads(String why) {
    if (counting && why.equals(told)) {
      log.debug("No leader: {}", why);
    } else {
      log.warn("No leader: {}", why);
    }
    told = why;
    begin();
  }

  private void begin() {
    waitsForReply = false;
    if (!counting) {
      counting = true;
      sinceNanos = time.nanos();
    }
  }

  void leads(Leadership leadership, int outstanding) {
    begin();
    leader = leadership.member() + " leads in term " + leadership.term();
    if (everLed && outstanding > 0) {
      metrics.repeated.increment(outstanding);
    }
  }

  /**
   * The shared session goes on at the new leader.
   *
   * @param pending its commands without a reply, which are sent again
   */
  void attached(int pending) {
    if (!counting) {
      return;
    }
    repeated = pending;
    if (pending == 0) {
      end();
    } else {
      waitsForReply = true;
    }
  }

  /** A reply came. */
  void answered() {
    if (waitsForReply) {
      end();
    }
  }

  private void end() {
    waitsForReply = false;
    counting = false;
    long pauseNanos = time.nanos() - sinceNanos;
    long pauseMs = TimeUnit.NANOSECONDS.toMillis(pauseNanos);
    if (everLed) {
      metrics.leaderChanged(pauseNanos);
      log.info("{}: a pause of {} ms, {} commands repeated", leader, pauseMs, repeated);
    } else {
      everLed = true;
      log.info("{}", leader);
    }
  }
}
