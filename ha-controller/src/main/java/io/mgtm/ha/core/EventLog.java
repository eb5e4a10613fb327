package io.mgtm.ha.core;

import io.mgtm.ha.model.EventKind;
import java.util.ArrayList;
import java.util.List;

/** The events of a {@link ClusterState} while a batch changes it. */
final class EventLog {
  private long last;
  private final List<Event> events;

  EventLog(ClusterState from) {
    last = from.lastEvent();
    events = new ArrayList<>(from.events());
  }

  /** The number of the newest. */
  long last() {
    return last;
  }

  /** The newest that are kept, oldest first. */
  List<Event> kept() {
    return List.copyOf(events);
  }

  void record(long wall, Decision decision) {
    ClusterCommand command = decision.command();
    last++;
    events.add(
        new Event(
            last,
            wall,
            kind(decision),
            command.subject(),
            command.what(),
            decision.by(),
            decision.cause(),
            decision.observations()));
    if (events.size() > ClusterState.EVENTS_MAX) {
      events.remove(0);
    }
  }

  /** Whether the newest event tells the same. */
  boolean endsWith(ClusterCommand command) {
    if (events.isEmpty()) {
      return false;
    }
    Event newest = events.get(events.size() - 1);
    return newest.subject().equals(command.subject()) && newest.what().equals(command.what());
  }

  private static EventKind kind(Decision decision) {
    ClusterCommand command = decision.command();
    if (command instanceof OperatorCommand && !decision.by().equals(Decision.BY_ITSELF)) {
      return EventKind.OPERATOR;
    }
    if (command instanceof ClusterCommand.Lead) {
      return EventKind.LEADER;
    }
    if (command instanceof ClusterCommand.Silent
        || command instanceof ClusterCommand.SilentPath
        || command instanceof ClusterCommand.Fenced) {
      return EventKind.NODE;
    }
    if (command instanceof ClusterCommand.MarkCopies) {
      return EventKind.COPY;
    }
    boolean failure =
        command instanceof ClusterCommand.Blame
            || command instanceof ClusterCommand.Repaired
            || command instanceof ClusterCommand.Halt
            || command instanceof ClusterCommand.Wait;
    return failure ? EventKind.FAILURE : EventKind.SERVICE;
  }
}
