package io.mgtm.group.total;

import io.mgtm.group.Durability;
import io.mgtm.group.GroupMode;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.member.GroupAdmin;
import io.mgtm.group.member.GroupLog;
import io.mgtm.group.member.GroupSettings;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.member.MemberListener;
import io.mgtm.group.member.MemberParts;
import io.mgtm.group.net.JGroupsSettings;
import io.mgtm.group.net.JGroupsTransport;
import io.mgtm.group.net.MessageCodec;
import io.mgtm.group.net.Reach;
import io.mgtm.group.net.Transport;
import io.mgtm.group.storage.LogStats;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mode {@code total}: active replication, as docs/replication.md says in full. Every member accepts
 * proposals and applies all of them in one order.
 *
 * <p>Promise: that of mode {@code fifo}, from which it has log, commits, elections and membership;
 * and a proposal is lost only with the process that made it, so that a change of the member that
 * makes the order is a pause for nobody's client but a wait of the others. Not promised: service of
 * a member without a majority, and settled proposals that were not synced when a majority loses
 * power at once (the machine is told).
 *
 * <p>All methods are called by the owner thread. The owner executor must run one task after the
 * other, never inside {@code execute}.
 */
public final class TotalLog implements OrderedLog {
  private static final Logger log = LoggerFactory.getLogger(TotalLog.class);

  /** Between two tries to let a member with room make the order. */
  private static final long YIELD_MS = 5_000;

  private final MemberParts parts;
  private final Executor owner;
  private final Listener listener;
  private final Transport transport;
  private final TotalOrder order;
  private final ServiceWatch watch;
  private GroupLog group;
  private boolean pumpAsked;
  private boolean noRoom;
  private long yieldAtMs;
  private boolean stopped;

  /**
   * Opens the member's folder, or begins one, and joins the group.
   *
   * @param network the group's; members of other modes do not see this one
   * @throws LogException as {@link GroupLog#open} throws
   */
  public static TotalLog open(
      Path folder,
      GroupSettings settings,
      JGroupsSettings network,
      OrderedMachine machine,
      ScheduledExecutorService owner,
      Listener listener) {
    JGroupsSettings own = network.ofMode(GroupMode.TOTAL);
    Transport transport =
        new JGroupsTransport(settings.name(), own, GroupMode.TOTAL, owner, Reach.VIEW);
    return open(
        MemberParts.open(folder, settings.name(), owner),
        settings,
        TotalSettings.defaults(),
        new OriginTable(),
        machine,
        owner,
        listener,
        transport);
  }

  /** As {@link #open}, on other parts, and with a table that is empty. */
  public static TotalLog open(
      MemberParts parts,
      GroupSettings settings,
      TotalSettings total,
      OriginTable table,
      OrderedMachine machine,
      Executor owner,
      Listener listener,
      Transport transport) {
    TotalLog opened = new TotalLog(parts, total, table, machine, owner, listener, transport);
    opened.group =
        GroupLog.open(
            GroupMode.FIFO,
            parts,
            settings.withCore(settings.core().withoutSpares()),
            opened.order,
            owner,
            opened.new LogEvents(),
            opened.new MemberEvents(),
            transport);
    opened.order.begin(opened.group.self(), opened.group.incarnation(), opened.new LogBelow());
    return opened;
  }

  private TotalLog(
      MemberParts parts,
      TotalSettings settings,
      OriginTable table,
      OrderedMachine machine,
      Executor owner,
      Listener listener,
      Transport transport) {
    this.parts = parts;
    this.owner = owner;
    this.listener = listener;
    this.transport = transport;
    this.watch =
        new ServiceWatch(settings.stallMs(), settings.probeMs(), settings.repeatMs(), nowMs());
    this.order =
        new TotalOrder(
            machine, table, new Fate(), settings.proposalsMax(), settings.proposalBytesMax());
  }

  private long nowMs() {
    return parts.nowMs();
  }

  /** What becomes of own proposals. */
  private final class Fate implements TotalOrder.Told {
    @Override
    public void settled(long number) {
      boolean begins = watch.settled(order.isIdle(), nowMs());
      listener.committed(number);
      if (begins) {
        log.info("Member {} serves: what it proposes comes back", group.self());
        listener.serving(true);
      }
    }

    @Override
    public void withdrawn(long fromNumber) {
      listener.withdrawn(fromNumber);
    }

    @Override
    public void skipped(long toNumber) {
      listener.skipped(toNumber);
    }
  }

  /** What the log beneath tells on every member; each runs once that is at rest. */
  private final class MemberEvents implements MemberListener {
    @Override
    public void settled(long index) {
      guarded(() -> order.committed(index));
    }

    @Override
    public void ticked(long nowMs) {
      guarded(() -> tick(nowMs));
    }

    @Override
    public void received(MemberId from, Message.OfOrder message) {
      guarded(() -> order.receive(from, message));
    }
  }

  /** What it tells of who leads. */
  private final class LogEvents implements ReplicatedLog.Listener {
    @Override
    public void committed(long index) {
      // The member that makes the order has been told as every member is.
    }

    @Override
    public void leading(long term) {
      guarded(
          () -> {
            order.leading();
            listener.leading(term);
          });
    }

    @Override
    public void following(String leader) {
      guarded(
          () -> {
            order.following(leader);
            listener.following(leader);
          });
    }

    @Override
    public void failed(LogException cause) {
      fail(cause);
    }
  }

  private final class LogBelow implements TotalOrder.Below {
    @Override
    public boolean isSequencer() {
      return group.isLeading();
    }

    @Override
    public boolean isMember(MemberId member) {
      return group.isMember(member);
    }

    @Override
    public boolean hasRoom(int bytes) {
      noRoom = !group.hasRoom(bytes);
      return !noRoom;
    }

    @Override
    public long nextIndex() {
      return group.lastIndex() + 1;
    }

    @Override
    public long append(ByteBuffer entry, Durability durability) {
      return group.append(entry, durability);
    }

    /** A round goes out with the next batch, or alone; it carries the index. */
    @Override
    public void tellCommitted() {
      group.confirm();
    }

    @Override
    public void send(String to, Message.OfOrder message) {
      transport.send(List.of(to), MessageCodec.encode(group.self(), message));
    }

    @Override
    public void sendToAll(Message.OfOrder message) {
      List<String> others =
          transport.connected().stream().filter(name -> !name.equals(group.self().name())).toList();
      if (!others.isEmpty()) {
        transport.send(others, MessageCodec.encode(group.self(), message));
      }
    }
  }

  private void execute(Runnable task) {
    try {
      owner.execute(task);
    } catch (RejectedExecutionException e) {
      log.debug("The thread that owns the log has stopped", e);
    }
  }

  private void guarded(Runnable task) {
    if (stopped) {
      return;
    }
    try {
      task.run();
    } catch (LogException e) {
      if (e.category() != Category.NO_SPACE) {
        fail(e);
      }
    } catch (RuntimeException e) {
      fail(
          new LogException(
              Category.IO, "Member " + group.self() + " met a broken invariant: " + e, e));
    }
  }

  private void fail(LogException cause) {
    if (!stopped) {
      stopped = true;
      listener.failed(cause);
    }
  }

  private void tick(long nowMs) {
    order.refuseOtherThan(group.incarnation());
    if (watch.stalls(nowMs)) {
      log.warn("Member {} does not serve: nothing that it proposes comes back", group.self());
      listener.serving(false);
    }
    if (watch.wantsProbe(nowMs) && order.canPropose(0)) {
      proposeCopy(ByteBuffer.allocate(0), nowMs);
    } else if (watch.wantsRepeat(nowMs)) {
      order.repeat();
    }
    if (noRoom && group.isLeading() && nowMs >= yieldAtMs) {
      yieldAtMs = nowMs + YIELD_MS;
      yieldOrder();
    }
  }

  /** A member whose disk is full lets another make the order: that may have room. */
  private void yieldOrder() {
    group
        .handOver()
        .ifPresent(
            name ->
                log.warn(
                    "Member {} has no room, {} is to make the order: {}",
                    group.status().name(),
                    name,
                    group.noRoomReason()));
  }

  private long proposeCopy(ByteBuffer copy, long nowMs) {
    long number = order.propose(copy);
    watch.proposed(nowMs);
    if (!pumpAsked) {
      pumpAsked = true;
      execute(
          () -> {
            pumpAsked = false;
            guarded(order::pump);
          });
    }
    return number;
  }

  @Override
  public boolean canPropose(int bytes) {
    return !stopped && order.canPropose(bytes);
  }

  @Override
  public long propose(ByteBuffer payload) {
    int bytes = payload.remaining();
    if (bytes < 1 || bytes > PROPOSAL_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a proposal of %d bytes; 1 to %d are allowed".formatted(bytes, PROPOSAL_BYTES_MAX));
    }
    if (!canPropose(bytes)) {
      throw new IllegalStateException("a proposal without room in the window");
    }
    return proposeCopy(ByteBuffer.allocate(bytes).put(payload.duplicate()).flip(), nowMs());
  }

  @Override
  public boolean isServing() {
    return !stopped && watch.isServing();
  }

  @Override
  public boolean isLeading() {
    return !stopped && group.isLeading();
  }

  @Override
  public LogStats stats() {
    return group.stats();
  }

  @Override
  public boolean hasRoom(int bytes) {
    return group.hasRoom(ProposalEntry.HEADER_BYTES_MAX + bytes);
  }

  @Override
  public String noRoomReason() {
    return group.noRoomReason();
  }

  @Override
  public GroupAdmin admin() {
    return group.admin();
  }

  @Override
  public GroupStatus status() {
    return group.status();
  }

  @Override
  public void close() {
    stopped = true;
    group.close();
  }
}
