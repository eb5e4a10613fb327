package io.mgtm.gtm.cli;

import io.mgtm.group.GroupMode;
import io.mgtm.group.StateMachine;
import io.mgtm.group.member.StoppedFolder;
import io.mgtm.group.total.OriginTable;
import io.mgtm.group.total.TotalOrder;
import io.mgtm.gtm.node.backup.BackupFile;
import io.mgtm.gtm.node.engine.EngineTime;
import io.mgtm.gtm.node.engine.GtmStateMachine;
import io.mgtm.gtm.node.total.OrderedGtm;
import io.mgtm.gtm.state.GtmState;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** A backup of what the data folder of a stopped member, or of a lone GTM, holds. */
final class FolderBackup {
  /** Proposes to a folder. */
  private static final TotalOrder.Told NOBODY = new TotalOrder.Told() {};

  private final GtmStateMachine machine;
  private final StoppedFolder.Contents contents;

  private FolderBackup(GtmStateMachine machine, StoppedFolder.Contents contents) {
    this.machine = machine;
    this.contents = contents;
  }

  /**
   * Reads a folder.
   *
   * @param copy a folder for the time of the call
   * @param mode the group's; null where the operator did not say it
   * @throws IOException when it holds no state, or the mode must be said
   * @throws io.mgtm.group.LogException as {@link StoppedFolder#read} throws
   */
  static FolderBackup read(Path folder, Path copy, GroupMode mode) throws IOException {
    ModeWatch machine = new ModeWatch();
    StateMachine reads =
        mode == GroupMode.TOTAL
            ? new TotalOrder(new OrderedGtm(machine), new OriginTable(), NOBODY, 1, 1)
            : machine;
    StoppedFolder.Contents contents =
        StoppedFolder.read(folder, copy, mode == GroupMode.LAZY, reads);
    if (mode == null && machine.isLazy()) {
      throw new IOException(folder + " is that of a group in mode lazy; say --mode lazy");
    }
    if (!machine.state().started()) {
      throw new IOException(
          folder + " holds no state: nothing was given out yet, or a restore has not ended");
    }
    return new FolderBackup(machine, contents);
  }

  /**
   * Notes whether a leader of mode lazy served: a state in which entries are missing forgets it.
   */
  static final class ModeWatch extends GtmStateMachine {
    private boolean wasLazy;

    ModeWatch() {
      super(GtmState.empty());
    }

    @Override
    public void entriesMayBeMissing(long index, boolean keptByClients) {
      wasLazy = isLazy();
      super.entriesMayBeMissing(index, keptByClients);
    }

    boolean isLazy() {
      return wasLazy || state().served().term() > 0;
    }
  }

  /** Writes the file, piece by piece. */
  void writeTo(OutputStream into) throws IOException {
    long micros = EngineTime.SYSTEM.micros().getAsLong();
    try {
      BackupFile.write(
          contents.lastIndex(), micros, machine.picture(), piece -> write(piece, into));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static void write(ByteBuffer piece, OutputStream into) {
    byte[] bytes = new byte[piece.remaining()];
    piece.duplicate().get(bytes);
    try {
      into.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What may be missing in it, as sentences behind the first. */
  String missing() {
    String others =
        contents.members() > 1
            ? ". What only the other members had acknowledged is not in it: restore it with"
                + " --skip-gxids, and set sequences by hand"
            : "";
    String own =
        contents.mayLackEntries()
            ? ". The folder may also lack the last that its member had acknowledged:"
                + " it was not stopped in order"
            : "";
    return others + own;
  }
}
