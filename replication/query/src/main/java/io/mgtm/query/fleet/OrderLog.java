package io.mgtm.query.fleet;

import io.mgtm.common.Sockets;
import io.mgtm.group.Durability;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.GroupMode;
import io.mgtm.group.LogException;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.member.GroupLog;
import io.mgtm.group.member.GroupLogs;
import io.mgtm.group.member.GroupSettings;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.member.LoneLog;
import io.mgtm.group.member.MemberParts;
import io.mgtm.group.member.PastEntries;
import io.mgtm.group.net.JGroupsSettings;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.order.Entry;
import io.mgtm.query.order.OrderState;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutorGroup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log that one replicator or several keep, and the state that it leads to. While this one leads
 * there is a {@link CommitLog}, a new one each time. Everything in it is touched by one thread at a
 * time, whose turn it is; its methods may be called by any thread where nothing else is said.
 */
public final class OrderLog implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(OrderLog.class);
  private static final int CLOSE_MS = 2_000;
  private static final int CONFIRM_MS = 100;

  /** What it asks for while nobody has written more: a short transaction. */
  private static final int SMALL_BYTES = 4_096;

  /** How soon another member is asked again to lead in the place of one without room. */
  private static final long YIELD_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Told by the owner, which it must not keep. */
  public interface Leads {
    /** This replicator leads the group until the log of commits has ended. */
    void leading(CommitLog commits);

    /** Who leads, or serves, is known to be another. */
    default void moved() {}
  }

  private final EventExecutorGroup threads;
  private final EventLoop loop;
  private final Owner owner;
  private final Leads leads;
  private final OrderState state = new OrderState();
  private final boolean alone;
  private GroupLog file;
  private CommitLog commits;
  private String leader = "";
  private CompletableFuture<Void> otherLeads = new CompletableFuture<>();
  private volatile Leadership where = Leadership.NOBODY;
  private volatile Set<String> servers = Set.of();

  /** Of the entry that was refused last; the owner's, like all that is not volatile. */
  private int wantedBytes = SMALL_BYTES;

  private boolean awaitsRoom;
  private long yieldedNanos = System.nanoTime() - YIELD_NANOS;

  private OrderLog(EventExecutorGroup threads, EventLoop loop, Owner owner, Leads leads) {
    this.threads = threads;
    this.loop = loop;
    this.owner = owner;
    this.leads = leads;
    this.alone = leads == null;
  }

  /**
   * Opens the log of one replicator in a folder, or begins one.
   *
   * @param bytesMax how much of it is kept on disk
   * @throws IOException when it cannot be, or another replicator has it
   */
  public static OrderLog alone(Path folder, long bytesMax) throws IOException {
    DefaultEventLoop clock = new DefaultEventLoop(new DefaultThreadFactory("mgtm-query-log", true));
    Turns turns = new Turns(clock);
    OrderLog opened = new OrderLog(clock, clock, turns, null);
    GroupSettings settings =
        GroupSettings.alone(DurabilityMode.CRITICAL, LogSettings.defaults(), bytesMax / 2);
    opened.open(
        folder,
        () ->
            LoneLog.open(
                MemberParts.open(folder, "query", clock),
                settings,
                opened.machine(),
                turns,
                opened.new Listener()));
    return opened;
  }

  /**
   * Opens the log of one of several replicators, or begins one, and joins its group in the
   * background.
   *
   * @throws IOException when it cannot be, or the group's address cannot be listened on
   */
  public static OrderLog member(
      Path folder, GroupSettings settings, JGroupsSettings network, Leads leads)
      throws IOException {
    EventExecutorGroup threads = Sockets.loops(1, "mgtm-query-log");
    EventLoop loop = (EventLoop) threads.next();
    OrderLog opened = new OrderLog(threads, loop, Owner.of(loop), leads);
    opened.open(
        folder,
        () ->
            (GroupLog)
                GroupLogs.open(
                    GroupMode.FIFO,
                    folder,
                    settings,
                    network,
                    opened.machine(),
                    loop,
                    opened.new Listener()));
    loop.execute(opened::confirm);
    return opened;
  }

  private void open(Path folder, Callable<GroupLog> how) throws IOException {
    try {
      call(() -> file = how.call());
    } catch (IOException e) {
      close();
      boolean used =
          e.getCause() instanceof LogException why
              && why.category() == LogException.Category.IN_USE;
      throw used
          ? new IOException(
              "another replicator uses " + folder + ": give this one another --data", e)
          : e;
    }
  }

  private OrderMachine machine() {
    return new OrderMachine(state, this::look);
  }

  Owner owner() {
    return owner;
  }

  /** What the log has led to. Owner. */
  OrderState state() {
    return state;
  }

  <T> T call(Callable<T> task) throws IOException {
    CompletableFuture<T> done = new CompletableFuture<>();
    owner.run(
        () -> {
          try {
            done.complete(task.call());
          } catch (Exception e) {
            done.completeExceptionally(e);
          }
        });
    return Futures.await(done);
  }

  /** The log of commits of a replicator that is alone. */
  public CommitLog commits() throws IOException {
    return call(() -> commits);
  }

  // ---- appending ---------------------------------------------------------------------------

  /** Why an entry of so many bytes cannot be appended, or null. Owner. */
  String refuses(int bytes) {
    if (!file.isLeading()) {
      return CommitLog.DEPOSED;
    }
    if (file.hasRoom(bytes)) {
      return null;
    }
    wantedBytes = bytes;
    if (alone && !awaitsRoom) {
      awaitRoom();
    }
    return file.noRoomReason();
  }

  /** Asks again and again: the log tries to make room when it is asked for some. */
  private void awaitRoom() {
    awaitsRoom = commits != null && !lookForRoom().isEmpty();
    if (awaitsRoom) {
      loop.schedule(() -> owner.run(this::awaitRoom), CONFIRM_MS, TimeUnit.MILLISECONDS);
    }
  }

  /** Appends what was not refused, and says its index. Owner. */
  long append(Entry entry, ByteBuffer encoded, Durability durability) {
    state.apply(entry);
    return file.append(encoded, durability);
  }

  /** Owner. */
  long committedIndex() {
    return file.committedIndex();
  }

  /** What stands in it still. Owner. */
  PastEntries past() {
    return PastEntries.of(file);
  }

  /** Why this member, which leads, can write nothing now; empty where it can, or does not lead. */
  public String noRoom() throws IOException {
    return call(this::lookForRoom);
  }

  private String lookForRoom() {
    if (!file.isLeading() || file.hasRoom(wantedBytes)) {
      wantedBytes = SMALL_BYTES;
      return "";
    }
    return file.noRoomReason();
  }

  // ---- the group ---------------------------------------------------------------------------

  /** What this member knows of its group. */
  public GroupStatus status() throws IOException {
    return call(() -> file.status());
  }

  /** Who leads, as was known a moment ago. */
  public Leadership where() {
    return where;
  }

  /** Which servers there are, as was known a moment ago; none before a first start. */
  public Set<String> servers() {
    return servers;
  }

  /** Has another member lead, the one whose log is farthest; false when there is none. */
  public boolean handOver() throws IOException {
    return call(() -> file.isLeading() && file.handOver().isPresent());
  }

  /** Another one may have room; one that has none refuses to lead. */
  private void yieldWithoutRoom() {
    String why = commits == null ? "" : lookForRoom();
    if (!why.isEmpty() && System.nanoTime() - yieldedNanos >= YIELD_NANOS) {
      yieldedNanos = System.nanoTime();
      String to = file.handOver().map(n -> n + " is to lead").orElse("no other can lead");
      log.warn("The log of commits takes no more, and {}: {}", to, why);
    }
  }

  /** Returns when another member leads, or after that time. */
  public void awaitOther(int ms) throws IOException {
    try {
      Futures.await(call(() -> otherLeads), ms);
    } catch (IOException e) {
      log.warn("No other replicator leads after {} ms", ms);
    }
  }

  /** Again and again: asks the group whether this member leads still, and looks who does. */
  private void confirm() {
    if (threads.isShuttingDown()) {
      return;
    }
    if (file.isLeading() && commits != null) {
      commits.lease().asked(file.confirm());
      commits.lease().confirmed(file.confirmedReadIndex());
    }
    yieldWithoutRoom();
    look();
    servers = state.servers().keySet();
    loop.schedule(this::confirm, CONFIRM_MS, TimeUnit.MILLISECONDS);
  }

  private void look() {
    Leadership now =
        new Leadership(leader, state.addressOf(leader), new ForwardKey(state.keyOf(leader)));
    if (!alone && !now.equals(where)) {
      where = now;
      leads.moved();
    }
  }

  private void deposed() {
    if (commits != null) {
      commits.end();
      commits = null;
    }
  }

  @Override
  public void close() {
    if (threads.isShuttingDown()) {
      return;
    }
    try {
      if (file != null) {
        call(
            () -> {
              deposed();
              file.close();
              return null;
            });
      }
    } catch (IOException e) {
      log.warn("The log of commits was not closed in order: {}", e.getMessage());
    } finally {
      threads.shutdownGracefully(0, CLOSE_MS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    }
  }

  /** What happens to the log. */
  private final class Listener implements ReplicatedLog.Listener {
    @Override
    public void leading(long term) {
      deposed();
      commits = new CommitLog(OrderLog.this, term, alone ? Lease.NONE : new Lease());
      if (!alone) {
        leader = file.self().name();
        otherLeads = new CompletableFuture<>();
        leads.leading(commits);
      }
    }

    @Override
    public void following(String who) {
      leader = who == null ? "" : who;
      deposed();
      if (who != null) {
        otherLeads.complete(null);
      }
      look();
    }

    @Override
    public void committed(long index) {
      if (commits != null) {
        commits.committed(index);
      }
    }

    @Override
    public void confirmed(long readIndex) {
      if (commits != null) {
        commits.lease().confirmed(readIndex);
      }
    }

    @Override
    public void failed(LogException cause) {
      // Nothing may be acknowledged any more that a start would not find.
      log.error("The log of commits has failed; the replicator stops", cause);
      Runtime.getRuntime().halt(1);
    }
  }
}
