package io.mgtm.ha.api;

import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.core.Event;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Events as they are committed, for those who read {@code /v1/events/stream}. Each stream has a
 * thread and the number of the event that it has sent last; what it has not sent stands in the
 * state, which keeps {@link ClusterState#EVENTS_MAX}. So nothing is kept for a reader that is slow:
 * what it has missed is told as a number, and one that takes nothing at all is cut off by the
 * server's idle time-out. Any thread; {@link #committed} never blocks.
 */
final class EventStreams implements AutoCloseable {
  static final int STREAMS_MAX = 16;

  /**
   * What is written when there is nothing else, so that both sides learn that the other is gone.
   */
  static final long BEAT_MS = 10_000;

  /** How often a stream that wants it is sent the status. */
  static final long STATUS_MS = 1_000;

  private final long beatMs;
  private final long statusMs;
  private ClusterState state = ClusterState.EMPTY;
  private int open;
  private boolean closed;

  EventStreams() {
    this(BEAT_MS, STATUS_MS);
  }

  /** With other intervals. */
  EventStreams(long beatMs, long statusMs) {
    this.beatMs = beatMs;
    this.statusMs = statusMs;
  }

  /** Where a stream's messages go. */
  interface Sink {
    /** Writes and flushes, or throws when the reader is gone or takes nothing. */
    void write(String text) throws IOException;
  }

  /** What one message holds. */
  interface Writer {
    String json(Object value) throws IOException;
  }

  /** The committed state, whose events are told from now on. Owner thread. */
  synchronized void committed(ClusterState next) {
    state = next;
    notifyAll();
  }

  /** Takes a place; false when all are taken, or there are none any more. */
  synchronized boolean enter() {
    if (closed || open >= STREAMS_MAX) {
      return false;
    }
    open++;
    return true;
  }

  synchronized void leave() {
    open--;
  }

  synchronized int open() {
    return open;
  }

  /** The newest event's number. */
  synchronized long newest() {
    return state.lastEvent();
  }

  /** What there is to send after an event; null when the streams have ended. */
  private synchronized ClusterState await(long after, long ms) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    long leftMs = ms;
    while (!closed && state.lastEvent() <= after && leftMs > 0) {
      wait(leftMs);
      leftMs = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    }
    return closed ? null : state;
  }

  /**
   * Sends until the reader is gone or {@link #close}; whoever calls has a place.
   *
   * @param after the last event that the reader has
   * @param status what it is sent each {@link #STATUS_MS}; null when it did not ask for it
   */
  void send(long after, StatusSource status, Writer writer, Sink sink)
      throws IOException, InterruptedException {
    long sent = after;
    sink.write("retry: 2000\n\n");
    long step = status == null ? beatMs : statusMs;
    while (true) {
      if (status != null) {
        sink.write("event: status\ndata: %s\n\n".formatted(status.now()));
      }
      ClusterState now = await(sent, step);
      if (now == null) {
        return;
      }
      String text = events(now, sent, writer);
      // A controller that has just started may be behind its reader.
      sent = Math.max(sent, now.lastEvent());
      if (!text.isEmpty()) {
        sink.write(text);
      } else if (status == null) {
        sink.write(": nothing new\n\n");
      }
    }
  }

  /** The status as JSON. */
  interface StatusSource {
    String now() throws IOException;
  }

  private static String events(ClusterState now, long sent, Writer writer) throws IOException {
    StringBuilder text = new StringBuilder();
    List<Event> events = now.events();
    long missed = events.isEmpty() ? 0 : events.get(0).id() - 1 - sent;
    if (missed > 0) {
      text.append("event: missed\ndata: {\"missed\":").append(missed).append("}\n\n");
    }
    for (Event event : events) {
      if (event.id() > sent) {
        text.append("id: ").append(event.id()).append("\nevent: event\ndata: ");
        text.append(writer.json(event)).append("\n\n");
      }
    }
    return text.toString();
  }

  /** Ends all streams. */
  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
  }
}
