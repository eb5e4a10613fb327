package io.mgtm.group.member;

import io.mgtm.group.Durability;
import io.mgtm.group.GroupMode;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.core.Effects;
import io.mgtm.group.core.GroupCore;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import io.mgtm.group.core.MembershipHistory;
import io.mgtm.group.core.Message;
import io.mgtm.group.core.TermRecord;
import io.mgtm.group.net.MessageCodec;
import io.mgtm.group.net.Transport;
import io.mgtm.group.storage.LogStats;
import io.mgtm.group.storage.RecoveryReport;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The witness of a group: it votes, and stores how far the leader's log is when the leader has no
 * other copy of it. It never leads, and has no state; docs/replication.md says the rest. Called as
 * {@link GroupLog} is.
 */
public final class WitnessLog implements MemberLog {
  private static final Logger log = LoggerFactory.getLogger(WitnessLog.class);

  private static final RecoveryReport CLEAN = new RecoveryReport(false, true, 1, 0, 0, false);

  private final MemberParts parts;
  private final OwnerTasks tasks;
  private final Listener listener;
  private final Transport transport;
  private final WitnessDisk disk;
  private final TermStore terms;
  private final MemberId self;
  private final GroupCore core;
  private final RoomWatch room;
  private final SuspensionWatch suspension;
  private final Ticker ticker;

  /** Who leads has changed since the listener was told. */
  private boolean changed;

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
    try {
      WitnessLog opened = new WitnessLog(mode, parts, settings, owner, listener, transport);
      opened.begin();
      return opened;
    } catch (RuntimeException | Error e) {
      parts.giveUp(transport, e);
      throw e;
    }
  }

  private WitnessLog(
      GroupMode mode,
      MemberParts parts,
      GroupSettings settings,
      Executor owner,
      Listener listener,
      Transport transport) {
    this.parts = parts;
    this.listener = listener;
    this.transport = transport;
    self = new MemberId(settings.name(), parts.member());
    tasks = new OwnerTasks(self.toString(), owner, this::failed);
    room = new RoomWatch(settings.name(), parts.nowMs());
    suspension = new SuspensionWatch(settings.core().standstillMs(), parts.wallMs(), parts::nowMs);
    disk = WitnessDisk.open(parts.files());
    terms = new TermStore(parts.files(), parts.boot());
    // All that a witness acknowledges was synced before, so it has lost nothing.
    TermRecord record = terms.begin(CLEAN);
    Membership known = disk.membership();
    FolderName.check(self, known);
    MembershipHistory members =
        known.equals(Membership.NONE)
            ? new MembershipHistory(0, record.initial())
            : new MembershipHistory(disk.lastIndex(), known);
    core =
        new GroupCore(
            settings.start(
                mode == GroupMode.LAZY, self, disk, new Told(), members, record, parts.seed()),
            parts.nowMs());
    ticker = Ticker.of(core, parts.threads(), settings, this::now, () -> core.tick(nowMs()));
    log.info(
        "Witness {}: {}, entries to {}, {}", self, record, disk.lastIndex(), core.membership());
  }

  private void begin() {
    transport.start(new Inbox(core, MemberListener.NONE, this::execute, this::now, this::nowMs));
    ticker.start();
  }

  private long nowMs() {
    return suspension.nowMs(core::interrupted);
  }

  private void execute(Runnable task) {
    tasks.execute(() -> turn(task));
  }

  private void now(Runnable task) {
    tasks.run(() -> turn(task));
  }

  /** A full disk is no reason to stop: what was not stored is not acknowledged, and comes again. */
  private void turn(Runnable task) {
    try {
      task.run();
    } catch (LogException e) {
      if (e.category() != Category.NO_SPACE) {
        throw e;
      }
      room.refused(e.getMessage(), parts.nowMs());
    }
    ticker.look();
    if (changed) {
      changed = false;
      listener.following(core.leader() == null ? null : core.leader().name());
    }
  }

  private void failed(LogException cause) {
    listener.failed(cause);
  }

  /** What the core does to the outside. */
  private final class Told implements Effects {
    @Override
    public void send(List<String> to, Message message) {
      transport.send(to, MessageCodec.encode(self, message));
    }

    @Override
    public void save(TermRecord record) {
      terms.save(record);
    }

    @Override
    public void leaderChanged(MemberId leader, long term) {
      log.info("Witness {}: term {}, leader {}", self, term, leader == null ? "unknown" : leader);
      changed = true;
    }

    @Override
    public void leading(long term, boolean entriesMayBeMissing) {
      throw new IllegalStateException("a witness leads in term " + term);
    }

    @Override
    public void committed(long index) {}

    @Override
    public void confirmed(long readIndex) {}

    @Override
    public void warned(String sentence) {
      log.warn("Witness {}: {}", self, sentence);
    }

    @Override
    public void failed(String reason) {
      tasks.fail(new LogException(Category.CORRUPT, reason));
    }
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
  public boolean isLeading() {
    return false;
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
  public GroupAdmin admin() {
    return new CoreAdmin(core, tasks, this::nowMs);
  }

  @Override
  public GroupStatus status() {
    return GroupStatus.of(self, core, false, 0, transport);
  }

  @Override
  public void close() {
    if (tasks.isClosed()) {
      return;
    }
    tasks.close();
    MemberParts.Hold hold = parts.hold();
    try (hold) {
      transport.close();
      parts.threads().stop();
    }
  }
}
