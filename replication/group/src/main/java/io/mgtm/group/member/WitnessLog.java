package io.mgtm.group.member;

import io.mgtm.group.Durability;
import io.mgtm.group.GroupMode;
import io.mgtm.group.LogException;
import io.mgtm.group.core.GroupCore;
import io.mgtm.group.core.MembershipHistory;
import io.mgtm.group.core.TermRecord;
import io.mgtm.group.net.Transport;
import io.mgtm.group.storage.LogStats;
import io.mgtm.group.storage.RecoveryReport;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The witness of a group: it votes, and stores how far the leader's log is when the leader has no
 * other copy of it. It never leads, and has no state; docs/replication.md says the rest. Called as
 * {@link GroupLog} is.
 */
public final class WitnessLog extends CoreMember {
  private static final Logger log = LoggerFactory.getLogger(WitnessLog.class);

  private static final RecoveryReport CLEAN = new RecoveryReport(false, true, 1, 0, 0, false);

  private final WitnessDisk disk;

  /**
   * Opens the witness's folder, or begins one, and joins the group. As {@link GroupLog#open}.
   *
   * @throws LogException as {@link Transport#start} throws, with FORMAT when the folder is that of
   *     a member that keeps data, with CORRUPT when what must not be forgotten is missing
   */
  public static WitnessLog open(
      GroupMode mode,
      MemberParts parts,
      GroupSettings settings,
      Executor owner,
      Listener listener,
      Transport transport) {
    return begun(
        parts, transport, () -> new WitnessLog(mode, parts, settings, owner, listener, transport));
  }

  private WitnessLog(
      GroupMode mode,
      MemberParts parts,
      GroupSettings settings,
      Executor owner,
      Listener listener,
      Transport transport) {
    super(parts, settings, owner, listener, MemberListener.NONE, transport, mode == GroupMode.LAZY);
    disk = WitnessDisk.open(parts.files());
    TermStore terms = new TermStore(parts.files(), parts.boot());
    // All that a witness acknowledges was synced before, so it has lost nothing.
    TermRecord record = terms.begin(CLEAN);
    FolderName.check(self, disk.membership());
    MembershipHistory members = disk.members(record.initial());
    boolean lazy = mode == GroupMode.LAZY;
    runs(
        new GroupCore(
            settings.start(lazy, self, disk, new Votes(terms), members, record, parts.seed()),
            parts.nowMs()),
        settings);
    log.info(
        "Witness {} begins in term {}, entries to {}, {}",
        self,
        record.term(),
        disk.lastIndex(),
        core.membership().inWords());
  }

  @Override
  void tick() {
    core.tick(nowMs());
  }

  /** What the core does beside voting: nothing. */
  private final class Votes extends CoreEffects {
    Votes(TermStore terms) {
      super(terms);
    }

    @Override
    public void leading(long term, boolean entriesMayBeMissing) {
      throw new IllegalStateException("a witness leads in term " + term);
    }

    @Override
    public void committed(long index) {}
  }

  /** True: a witness is not written to. */
  @Override
  public boolean hasRoom(int bytes) {
    return true;
  }

  @Override
  public String noRoomReason() {
    return "";
  }

  @Override
  public long append(ByteBuffer payload, Durability durability) {
    throw new IllegalStateException("append on a witness");
  }

  @Override
  public long committedIndex() {
    return 0;
  }

  /** How far a leader's log was when it was stored last. */
  @Override
  public long lastIndex() {
    return disk.lastIndex();
  }

  @Override
  public LogStats stats() {
    return new LogStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  }

  @Override
  public GroupStatus status() {
    return GroupStatus.of(self, core, false, 0, transport, room.warning(parts.nowMs()));
  }

  /** All that it stores is on disk already. */
  @Override
  void closeCleanly() {}
}
