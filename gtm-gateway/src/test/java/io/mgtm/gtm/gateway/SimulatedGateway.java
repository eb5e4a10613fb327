package io.mgtm.gtm.gateway;

import io.mgtm.gtm.command.Command;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import java.util.random.RandomGenerator;

/** A gateway's sessions with a group, as the simulation of whole nodes uses them. */
public final class SimulatedGateway {
  /** Time as the gateway sees it. */
  public interface Time {
    long nanos();

    void after(long delayMs, Runnable task);
  }

  /** Who waits for a reply. */
  public interface Target {
    /** It has come; the bytes are valid during the call. */
    void reply(ByteBuf bytes);

    /** It will never come. */
    void lost(String message);
  }

  private static final GatewayMetrics METRICS = new GatewayMetrics(new SimpleMeterRegistry());

  private final GroupUpstream upstream;

  public SimulatedGateway(
      String name, LinkNodes nodes, Time time, RandomGenerator random, Runnable flushSoon) {
    GatewayTime passed =
        new GatewayTime() {
          @Override
          public long nanos() {
            return time.nanos();
          }

          @Override
          public void after(long delayMs, Runnable task) {
            time.after(delayMs, task);
          }
        };
    upstream = new GroupUpstream(name, nodes, passed, random, flushSoon, METRICS);
  }

  public void start() {
    upstream.start();
  }

  public void flush() {
    upstream.flush();
  }

  public void close() {
    upstream.close();
  }

  /** What is wrong, for a report. */
  public String trouble() {
    return upstream.trouble();
  }

  /** A client joins the session that all share, or one of its own. */
  public Session join(boolean own, Runnable sessionLost) {
    return new Session(own ? upstream.open() : upstream.shared(), own, sessionLost);
  }

  /** What a client submits its commands to. */
  public static final class Session implements SessionClient {
    private final UpstreamSession session;
    private final boolean own;
    private final Runnable lost;

    private Session(UpstreamSession session, boolean own, Runnable lost) {
      this.session = session;
      this.own = own;
      this.lost = lost;
      session.join(this);
    }

    public long id() {
      return session.id();
    }

    /** Whether replies carry the backend's number. */
    public boolean isOwn() {
      return own;
    }

    public void submit(short backend, Command command, Target target) {
      session.submit(
          backend,
          command,
          new ReplyTarget() {
            @Override
            public void reply(boolean close, ByteBuf bytes) {
              target.reply(bytes);
            }

            @Override
            public void lost(String message, String hint) {
              target.lost(message);
            }
          });
    }

    @Override
    public void resume() {
      // Nobody waits for room.
    }

    @Override
    public void sessionLost(String message, String hint) {
      lost.run();
    }
  }
}
