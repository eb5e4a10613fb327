package io.mgtm.group.member;

import io.mgtm.group.Durability;
import io.mgtm.group.GroupMode;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.StateMachine;
import io.mgtm.group.net.NoTransport;
import io.mgtm.group.net.Transport;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The log of a node without a group: a group of one. Nobody else is asked, told or waited for, so
 * it leads from the start on, commits within the append what need not be synced, confirms reads by
 * itself, and does nothing while nothing is appended. Durable on this machine's disk, and gone with
 * it.
 *
 * <p>What was acknowledged without being synced may be missing after each end that was not clean;
 * the state machine is told, unless all was synced.
 */
public final class LoneLog extends GroupLog {
  private static final GroupAdmin NO_GROUP = new NoGroup();

  private final GroupSettings settings;
  private boolean lookAsked;

  /**
   * Opens the folder, or begins one; that of a former version is converted. When this returns, the
   * log leads, and all that it holds is committed. The listener hears of the leadership meanwhile.
   * Called by the owner thread, or before it takes any task.
   *
   * @param settings those of {@link GroupSettings#alone}
   * @throws LogException as {@link MemberParts#open} throws, and {@link GroupLog#open}; with
   *     NO_SPACE when there is no room to begin
   */
  public static LoneLog open(
      Path folder,
      GroupSettings settings,
      StateMachine machine,
      ScheduledExecutorService owner,
      ReplicatedLog.Listener listener) {
    return open(MemberParts.open(folder, "log", owner), settings, machine, owner, listener);
  }

  /** As above, on other parts. */
  public static LoneLog open(
      MemberParts parts,
      GroupSettings settings,
      StateMachine machine,
      Executor owner,
      ReplicatedLog.Listener listener) {
    Transport transport = new NoTransport(settings.name());
    return begun(
        parts, transport, () -> new LoneLog(parts, settings, machine, owner, listener, transport));
  }

  private LoneLog(
      MemberParts parts,
      GroupSettings settings,
      StateMachine machine,
      Executor owner,
      ReplicatedLog.Listener listener,
      Transport transport) {
    super(
        GroupMode.FIFO, parts, settings, machine, owner, listener, MemberListener.NONE, transport);
    this.settings = settings;
  }

  /** Nothing waits for the time. */
  @Override
  void tickFromNowOn() {
    core.tick(nowMs());
    syncNow();
    if (core.isServing() && core.membership().forces() != settings.durability()) {
      core.durability(settings.durability());
      syncNow();
    }
    notices.tell();
    if (!isLeading()) {
      throw new LogException(Category.NO_SPACE, noRoomReason());
    }
  }

  private void syncNow() {
    store.force();
    core.synced(nowMs());
  }

  @Override
  public boolean hasRoom(int bytes) {
    boolean room = super.hasRoom(bytes);
    if (!room) {
      askLook();
    }
    return room;
  }

  @Override
  public long append(ByteBuffer payload, Durability durability) {
    tasks.checkOpen();
    long index = appendApplied(payload, durability);
    // Who appends sees it; only others may wait for what an earlier append left open.
    notices.appending(core.commitIndex() == index - 1 && notices.areTold());
    core.advance();
    notices.appending(false);
    if (checkpoints.isWorthALook()) {
      askLook();
    }
    return index;
  }

  @Override
  public long confirm() {
    return core.confirmedReadIndex();
  }

  /** In a task of its own: only between two tasks is all that is applied also appended. */
  private void askLook() {
    if (!lookAsked) {
      lookAsked = true;
      execute(this::look);
    }
  }

  @Override
  void look() {
    lookAsked = false;
    super.look();
  }

  @Override
  void synced() {
    super.synced();
    if (checkpoints.isWaiting()) {
      look();
    }
  }

  @Override
  public GroupAdmin admin() {
    return NO_GROUP;
  }

  @Override
  void beforeCleanClose() {
    store.force();
    checkpoints.last(core);
  }
}
