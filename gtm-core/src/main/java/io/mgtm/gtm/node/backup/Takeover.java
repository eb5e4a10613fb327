package io.mgtm.gtm.node.backup;

import io.mgtm.common.OperatorError;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.state.Limits;
import java.util.ArrayList;
import java.util.List;

/**
 * What a new log begins with. The gxids come last: a state without them was never finished.
 *
 * @param nextGxid the first gxid to be given
 * @param oldestGxid the oldest that a table may hold
 */
public record Takeover(long nextGxid, long oldestGxid, List<SequenceCommand.Restore> sequences) {

  /** It cannot be taken over; the message says why. */
  public static final class RefusedException extends RuntimeException implements OperatorError {
    private static final long serialVersionUID = 1L;

    RefusedException(String message) {
      super(message);
    }
  }

  public Takeover {
    sequences = List.copyOf(sequences);
  }

  /** A new cluster. */
  public static Takeover nothing(long firstGxid) {
    return new Takeover(firstGxid, firstGxid, List.of());
  }

  /** Sequences first: an import that was interrupted has no gxids, and is known by that. */
  public List<Command> commands() {
    List<Command> commands = new ArrayList<>(sequences);
    commands.add(new TransactionCommand.StartGxids(nextGxid, oldestGxid));
    return commands;
  }

  /**
   * The same as a backup, with which a new folder begins: equal for all members of a group that
   * took over the same. It is tried on a state of its own before anything is written.
   *
   * @throws RefusedException when a command is rejected
   */
  public BackupFile backup(Limits limits) {
    GtmState trial = GtmState.empty();
    trial.setLimits(limits);
    trial.beginEntry(0);
    for (Command command : commands()) {
      if (trial.apply(command) instanceof Reply.Rejected rejected) {
        throw new RefusedException(
            "cannot take over what the other GTM left: "
                + rejected.message()
                + (rejected.hint().isEmpty() ? "" : ". " + rejected.hint()));
      }
    }
    return BackupFile.of(0, 0, trial);
  }
}
