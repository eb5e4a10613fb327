package io.mgtm.gtm.node.total;

import io.mgtm.group.total.OrderedLog;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.node.backup.BackupFile;
import io.mgtm.gtm.node.backup.Restore;
import io.mgtm.gtm.state.GtmState;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * How a new group in mode {@code total} begins: the member that makes the order proposes the first
 * commands, or a backup, one piece after the other. When another takes over in between, it begins
 * anew; what comes late of the former does nothing. Owner thread.
 */
public final class GroupBeginning {
  private final List<Command> firstCommands;
  private final BackupFile restore;
  private final LongSupplier clockMicros;
  private boolean proposed;
  private long pieceNumber;
  private int nextPart;

  /**
   * A beginning.
   *
   * @param restore a backup that waits in the data folder, or null
   */
  public GroupBeginning(List<Command> firstCommands, BackupFile restore, LongSupplier clockMicros) {
    this.firstCommands = firstCommands;
    this.restore = restore;
    this.clockMicros = clockMicros;
  }

  /** This member no longer makes the order. */
  void stop() {
    proposed = false;
    nextPart = 0;
    pieceNumber = 0;
  }

  /** What this member, which makes the order, is to propose so that the group begins. */
  Optional<MemberOp> next(GtmState state, OrderedLog log) {
    if (state.started() || proposed) {
      return Optional.empty();
    }
    if (restore == null) {
      proposed = true;
      return Optional.of(new MemberOp.First(firstCommands));
    }
    ByteBuffer piece = Restore.entry(restore, clockMicros.getAsLong(), nextPart);
    if (pieceNumber == 0 && log.canPropose(piece.remaining())) {
      pieceNumber = log.propose(piece);
      nextPart++;
    }
    return Optional.empty();
  }

  /** Own proposals up to a number are settled. */
  void settled(long number) {
    if (pieceNumber != 0 && pieceNumber <= number) {
      pieceNumber = 0;
      proposed = nextPart == Restore.parts(restore);
    }
  }
}
