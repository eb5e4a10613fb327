package io.mgtm.gtm.node.engine;

import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.net.FittedBuffer;
import io.mgtm.gtm.wire.xc12.ListReply;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Takes batches through the state and the log: each command is applied, those that changed
 * something become one entry, and the replies wait until that entry, and all before it, are
 * committed. Owner thread throughout.
 *
 * <p>Invariants: what is applied is appended before the next batch; a reply leaves in the order of
 * the log; while the log has no room, nothing that would change the state is applied; once an
 * exception shows that the state and the log may differ, nothing is served any more.
 */
public final class Engine {
  /**
   * A batch is served in parts of about this many bytes of replies: few requests can ask for many.
   */
  static final int REPLY_BYTES_MAX = 256 * 1024;

  /** Replies that wait for an entry; the list behind them, if any, is long. */
  private record Held(
      Client client,
      ByteBuf replies,
      ListReply list,
      boolean close,
      long index,
      List<Batch.Item> items,
      long readNanos) {}

  private final GtmStateMachine machine;
  private final ReplicatedLog log;
  private final RequestMetrics metrics;
  private final BackupViews backupViews = new BackupViews();
  private final ListAdmission admission = new ListAdmission();
  private final ReplyEncoder encoder = new ReplyEncoder();
  private final EntryAppender entry;
  private final Deque<Held> held = new ArrayDeque<>();
  private final Deque<Long> sessionsToClose = new ArrayDeque<>();

  /** The long list with which a part of a batch ends, or null. */
  private ListReply list;

  private boolean stopped;

  public Engine(
      GtmStateMachine machine,
      ReplicatedLog log,
      LongSupplier clockMicros,
      RequestMetrics metrics) {
    this.machine = machine;
    this.log = log;
    this.metrics = metrics;
    this.entry = new EntryAppender(machine, log, clockMicros, new LeaderMode(log, metrics));
  }

  /**
   * Serves a batch of a client, or its next part: call again until the batch is done.
   *
   * @return false when the client is no longer to be served, since it leaves or is told to go
   */
  public boolean process(Client client, Batch batch) {
    if (stopped) {
      batch.dropRest();
      return false;
    }
    ByteBuf replies = client.newBuffer();
    boolean kept = false;
    try {
      int from = batch.taken();
      boolean close = serve(client, batch, replies);
      if (close) {
        batch.dropRest();
      }
      kept = true;
      dispatch(client, batch, from, replies, close);
      return !close;
    } catch (RuntimeException | Error e) {
      stopped = true;
      if (!kept) {
        replies.release();
      }
      throw e;
    }
  }

  /** True when the client is to be closed. */
  private boolean serve(Client client, Batch batch, ByteBuf replies) {
    boolean close = false;
    if (!sessionsToClose.isEmpty()) {
      closeWaitingSessions();
    }
    entry.begin();
    list = null;
    while (!batch.isDone() && !close && list == null && replies.readableBytes() < REPLY_BYTES_MAX) {
      Batch.Item item = batch.take();
      switch (item.kind()) {
        case COMMAND -> command(client, item, replies);
        case STARTUP -> close = !startup(client, item, replies);
        case REFUSE ->
            encoder.error(
                replies, client.proxied(), item.backend(), false, item.message(), item.hint());
        case FAIL -> {
          encoder.error(
              replies, client.proxied(), Command.NO_BACKEND, true, item.message(), item.hint());
          close = true;
        }
        case TERMINATE -> close = true;
      }
    }
    entry.finish();
    return close;
  }

  public static Durability durability(Effect effect) {
    return switch (effect) {
      case FORCED -> Durability.REQUIRED;
      case RESERVED -> Durability.AHEAD;
      default -> Durability.BUFFERED;
    };
  }

  private void command(Client client, Batch.Item item, ByteBuf replies) {
    Command command = item.command();
    if (!command.type().query() && !entry.hasRoom()) {
      metrics.refusedForRoom();
      encoder.error(
          replies,
          client.proxied(),
          item.backend(),
          false,
          "the GTM cannot store anything now: " + log.noRoomReason(),
          "Free space on the disk of its data folder; it goes on by itself.");
      return;
    }
    Reply reply = backupViews.answer(client.session(), item.backend(), command, machine.state());
    if (reply == null) {
      reply = answer(command);
    }
    if (command.type().lists()) {
      reply = shortOr(ListReply.of(client.proxied(), item.backend(), reply), reply);
      if (list != null) {
        return;
      }
    }
    if (reply instanceof Reply.Rejected rejected) {
      metrics.rejected(rejected.reason());
    }
    encoder.encode(replies, client.proxied(), item.backend(), reply);
  }

  private Reply answer(Command command) {
    if (command.type().lists()) {
      return admission.answer(command, machine.state());
    }
    return command.type().query() ? machine.state().apply(command) : entry.apply(command);
  }

  /** A list that is long is set aside when it may begin; the answer is what is encoded else. */
  private Reply shortOr(ListReply of, Reply reply) {
    if (of == null || of.bytes() <= ListAdmission.SHORT_BYTES) {
      return reply;
    }
    Reply.Rejected refused = admission.begin(of);
    if (refused == null) {
      list = of;
    }
    return refused;
  }

  private boolean startup(Client client, Batch.Item item, ByteBuf replies) {
    if (!entry.hasRoom()) {
      encoder.error(
          replies,
          client.proxied(),
          Command.NO_BACKEND,
          true,
          "the GTM cannot store anything now: " + log.noRoomReason(),
          "Free space on the disk of its data folder; it goes on by itself.");
      return false;
    }
    entry.apply(
        new SessionCommand.OpenSession(
            client.session(),
            item.startup().nodeName(),
            item.startup().nodeType(),
            item.startup().postmaster()));
    encoder.startupAccepted(replies);
    return true;
  }

  private void dispatch(Client client, Batch batch, int from, ByteBuf replies, boolean close) {
    long last = log.lastIndex();
    List<Batch.Item> items = batch.items().subList(from, batch.taken());
    if (list != null) {
      client.listBegins();
    }
    if (held.isEmpty() && log.committedIndex() >= last) {
      send(client, replies, list, close);
      metrics.served(items, batch.readNanos);
    } else {
      ByteBuf kept = FittedBuffer.of(replies);
      client.held(kept.readableBytes());
      held.addLast(new Held(client, kept, list, close, last, List.copyOf(items), batch.readNanos));
    }
  }

  /** Lets the replies leave that waited for entries up to {@code index}. */
  public void committed(long index) {
    Held next = held.peekFirst();
    while (next != null && next.index() <= index) {
      held.removeFirst();
      next.client().held(-next.replies().readableBytes());
      send(next.client(), next.replies(), next.list(), next.close());
      metrics.served(next.items(), next.readNanos());
      next = held.peekFirst();
    }
  }

  private void send(Client client, ByteBuf replies, ListReply longList, boolean close) {
    client.send(replies, close);
    if (longList != null) {
      client.list(longList, () -> admission.end(longList));
    }
  }

  /** A client has gone. While the log has no room, its session is closed later. */
  public void closeSession(long session) {
    backupViews.end(session);
    if (stopped || !machine.state().hasSession(session)) {
      return;
    }
    sessionsToClose.addLast(session);
    closeWaitingSessions();
  }

  private void closeWaitingSessions() {
    entry.begin();
    while (!sessionsToClose.isEmpty() && entry.hasRoom()) {
      entry.apply(new SessionCommand.CloseSession(sessionsToClose.removeFirst()));
    }
    entry.finish();
  }

  /**
   * The first entries of a new log.
   *
   * @param commands accepted by a state like this one before
   */
  public void initialize(List<Command> commands) {
    entry.begin();
    for (Command command : commands) {
      if (applyFirst(command) instanceof Reply.Rejected rejected) {
        throw new IllegalStateException(rejected.message());
      }
    }
    entry.finish();
  }

  private Reply applyFirst(Command command) {
    if (!entry.hasRoom()) {
      throw new LogException(LogException.Category.NO_SPACE, log.noRoomReason());
    }
    return entry.apply(command);
  }

  /** The first entry of a server: nobody is connected any more. */
  public void restart() {
    entry.begin();
    applyFirst(new SessionCommand.Restart(true));
    entry.finish();
  }

  /** Called now and then, so that what waits for room does not wait for a client. */
  public void tick() {
    if (!stopped && !sessionsToClose.isEmpty()) {
      closeWaitingSessions();
    }
  }

  /** How many batches' replies wait for the log. */
  public int heldBatches() {
    return held.size();
  }

  /** Serves nothing from here on, and drops what will never be acknowledged. */
  public void abandon() {
    stopped = true;
    for (Held waiting : held) {
      waiting.replies().release();
    }
    held.clear();
  }
}
