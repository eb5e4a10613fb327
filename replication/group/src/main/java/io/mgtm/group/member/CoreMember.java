package io.mgtm.group.member;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.core.Effects;
import io.mgtm.group.core.GroupCore;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.core.TermRecord;
import io.mgtm.group.net.MessageCodec;
import io.mgtm.group.net.Transport;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What every member of a group that one leads is, whether it keeps the log or is the witness: a
 * core, the owner's tasks and time, and who is told. All methods are called by the owner thread.
 */
abstract class CoreMember implements MemberLog {
  private static final Logger log = LoggerFactory.getLogger(CoreMember.class);

  final MemberParts parts;
  final OwnerTasks tasks;
  final MemberId self;
  final Transport transport;
  final Notices notices;
  final MemberListener everyMember;
  final RoomWatch room;
  private final Listener listener;
  private final SuspensionWatch suspension;
  private Ticker ticker;
  GroupCore core;

  /**
   * A member that has no core yet.
   *
   * @param lazy whether entries are committed before the others have them
   */
  CoreMember(
      MemberParts parts,
      GroupSettings settings,
      Executor owner,
      Listener listener,
      MemberListener everyMember,
      Transport transport,
      boolean lazy) {
    this.parts = parts;
    this.listener = listener;
    this.everyMember = everyMember;
    this.transport = transport;
    notices = new Notices(listener, everyMember, lazy);
    room = new RoomWatch(settings.name(), parts.nowMs());
    suspension = new SuspensionWatch(settings.core().suspensionMs(), parts.wallMs(), parts::nowMs);
    self = new MemberId(settings.name(), parts.member());
    tasks = new OwnerTasks(self.toString(), owner, this::failed);
  }

  /** Gives the member its core. */
  final void runs(GroupCore of, GroupSettings settings) {
    core = of;
    notices.of(of);
    ticker = Ticker.of(of, parts.threads(), settings, this::now, this::tick);
  }

  /** A member that has begun; when it cannot, parts and transport are given up. */
  static <L extends CoreMember> L begun(MemberParts parts, Transport transport, Supplier<L> made) {
    try {
      L opened = made.get();
      opened.begin();
      return opened;
    } catch (RuntimeException | Error e) {
      parts.giveUp(transport, e);
      throw e;
    }
  }

  void begin() {
    transport.start(new Inbox(core, everyMember, this::execute, this::now, this::nowMs));
    tickFromNowOn();
  }

  void tickFromNowOn() {
    ticker.start();
  }

  /** Looks at the time. */
  abstract void tick();

  final long nowMs() {
    return suspension.nowMs(core::interrupted);
  }

  final void execute(Runnable task) {
    tasks.execute(() -> turn(task));
  }

  private void now(Runnable task) {
    tasks.run(() -> turn(task));
  }

  /** A full disk is no reason to stop: what was not stored is not acknowledged, and comes again. */
  private void turn(Runnable task) {
    try {
      task.run();
      notices.tell();
    } catch (LogException e) {
      if (e.category() != Category.NO_SPACE) {
        throw e;
      }
      room.refused(e.getMessage(), parts.nowMs());
    }
    ticker.look();
  }

  private void failed(LogException cause) {
    notices.following(null);
    listener.failed(cause);
  }

  /** What a core does to the outside, as far as all members do it alike. */
  abstract class CoreEffects implements Effects {
    private final TermStore terms;

    CoreEffects(TermStore terms) {
      this.terms = terms;
    }

    @Override
    public final void send(List<String> to, Message message) {
      transport.send(to, MessageCodec.encode(self, message));
    }

    @Override
    public final void sendNow(List<String> to, Message message) {
      send(to, message);
      transport.flush();
    }

    @Override
    public final void save(TermRecord record) {
      terms.save(record);
    }

    @Override
    public final void leaderChanged(MemberId leader, long term) {
      log.info("Member {}: term {}, leader {}", self, term, leader == null ? "unknown" : leader);
      if (!self.equals(leader)) {
        notices.add(() -> notices.following(leader == null ? null : leader.name()));
      }
    }

    @Override
    public final void confirmed(long readIndex) {
      notices.confirmed(readIndex);
    }

    @Override
    public final void warned(String sentence) {
      log.warn("Member {}: {}", self, sentence);
    }

    @Override
    public final void failed(String reason) {
      tasks.fail(new LogException(Category.CORRUPT, reason));
    }
  }

  @Override
  public final boolean isLeading() {
    return notices.isLeading();
  }

  @Override
  public GroupAdmin admin() {
    return new CoreAdmin(core, tasks, this::nowMs);
  }

  /**
   * Leaves the group's network, ends the log cleanly unless it has failed, and gives the folder up.
   * A leader should have transferred the leadership before. Called by the owner thread, or once
   * that has ended.
   *
   * @throws LogException when the log could not be closed cleanly
   */
  @Override
  public final void close() {
    if (tasks.isClosed()) {
      return;
    }
    tasks.close();
    MemberParts.Hold hold = parts.hold();
    try (hold) {
      transport.close();
      parts.threads().stop();
      if (!tasks.isFailed()) {
        closeCleanly();
      }
    }
  }

  /** Nothing else is at work any more. */
  abstract void closeCleanly();
}
