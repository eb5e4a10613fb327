package io.mgtm.group.raft;

import io.mgtm.group.StateMachine;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * What the committed log says, and the state machine with it. Owner thread.
 *
 * <p>jgroups-raft appends what is handed to it later, on a thread of its own, when this member may
 * have lost the leadership and won it again. So the log itself says what counts: a command is void
 * unless it is of the leadership whose term start is the last one before it, and its number is the
 * next. A term start is void unless its term is higher than those before. All members skip the same
 * entries.
 *
 * <p>The leader's state machine is ahead of it: it has applied commands that it has appended. When
 * it is deposed, {@link #restore} and the committed entries after it build its state anew.
 */
final class RaftReplica {
  private final StateMachine machine;
  private final RaftCheckpoint initial;

  private long index;
  private long commands;
  private long leadership;
  private long term;
  private String leader = "";
  private List<String> members;

  /** Commands that the state machine has applied; more than {@link #commands} on a leader only. */
  private long applied;

  /** The state before the first entry is the same on every member. */
  RaftReplica(StateMachine machine, List<String> members) {
    this.machine = machine;
    this.members = members;
    this.initial =
        new RaftCheckpoint(0, 0, 0, 0, "", members, ByteBuffer.wrap(machine.checkpoint()));
  }

  RaftCheckpoint initial() {
    return initial;
  }

  /** The last entry, in jgroups-raft's count. */
  long index() {
    return index;
  }

  /** Committed commands. */
  long commands() {
    return commands;
  }

  long applied() {
    return applied;
  }

  long term() {
    return term;
  }

  long leadership() {
    return leadership;
  }

  /** The names of the voters, as of the last entry. */
  List<String> members() {
    return members;
  }

  /** A leader has applied its next command; the answer is its number. */
  long appliedByLeader() {
    return ++applied;
  }

  /** Whether the state machine has applied what is not committed. */
  boolean isAhead() {
    return applied > commands;
  }

  void restore(RaftCheckpoint from) {
    machine.restore(from.state().duplicate());
    index = from.index();
    commands = from.commands();
    applied = from.commands();
    leadership = from.leadership();
    term = from.term();
    leader = from.leader();
    members = from.members();
  }

  void membersChanged(long at, List<String> now) {
    index = Math.max(index, at);
    members = now;
  }

  /**
   * A committed entry, in the log's order.
   *
   * @return whether it counts; false for one that is void or that a checkpoint covers
   */
  boolean committed(long at, RaftEntry entry) {
    if (at <= index) {
      return false;
    }
    index = at;
    return switch (entry.kind()) {
      case COMMAND -> command(entry);
      case TERM_START -> termStart(entry);
      case ROUND -> entry.leadership() == leadership;
      case WELCOME -> true;
    };
  }

  private boolean command(RaftEntry entry) {
    if (entry.leadership() != leadership || entry.number() != commands + 1) {
      return false;
    }
    commands++;
    if (commands > applied) {
      machine.apply(commands, entry.payload().duplicate());
      applied = commands;
    }
    return true;
  }

  private boolean termStart(RaftEntry entry) {
    if (entry.number() <= term) {
      return false;
    }
    term = entry.number();
    leadership = entry.leadership();
    leader = entry.name();
    return true;
  }

  /**
   * The state as it is, which is that after a number of commands.
   *
   * @return to be completed by {@link #complete} when they are all committed
   */
  ByteBuffer takeState() {
    return ByteBuffer.wrap(machine.checkpoint());
  }

  /** A checkpoint of a state that was taken when as many commands were applied as are committed. */
  RaftCheckpoint complete(ByteBuffer state) {
    return new RaftCheckpoint(index, commands, leadership, term, leader, members, state);
  }
}
