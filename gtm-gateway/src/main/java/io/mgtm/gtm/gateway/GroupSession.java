package io.mgtm.gtm.gateway;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/** A session with the group: its numbers, its clients, and whether the leader has attached it. */
final class GroupSession implements UpstreamSession {
  /** Whether commands may be sent. */
  enum State {
    /** No leader, or one that has to be asked again later. */
    WAITING,
    /** The leader was asked. */
    ATTACHING,
    ATTACHED,
    /** Ended by this gateway or lost by the group. */
    ENDED
  }

  /** A frame of commands is kept well below what a node accepts. */
  private static final int FRAME_BYTES = 1 << 20;

  /** What is sent with the request to attach; a leader that recovers keeps it until it serves. */
  static final int FIRST_BYTES = 16 << 10;

  private static final int GARBLED_MAX = 2;

  private static final GatewaySession.Window WINDOW =
      new GatewaySession.Window(LinkFormat.WINDOW_COMMANDS, LinkFormat.WINDOW_BYTES - (128 << 10));

  private final GroupUpstream upstream;
  private final boolean proxied;
  private final GatewaySession<ReplyTarget> commands;
  private final Set<SessionClient> clients = new LinkedHashSet<>();
  private final Deque<SessionClient> waiting = new ArrayDeque<>();
  private State state = State.WAITING;
  private boolean dirty;
  private int refusals;

  /** Up to this number commands are sent one by one. */
  private long singlyTo;

  /** How often in a row the link became unreadable while one command alone was out. */
  private int garbledAlone;

  GroupSession(long id, boolean proxied, GroupUpstream upstream) {
    this.commands = new GatewaySession<>(id, WINDOW);
    this.proxied = proxied;
    this.upstream = upstream;
  }

  @Override
  public long id() {
    return commands.id();
  }

  State state() {
    return state;
  }

  /** Whether no command was ever sent in it. */
  boolean fresh() {
    return commands.fresh();
  }

  int pending() {
    return commands.pending();
  }

  @Override
  public boolean hasRoom() {
    return commands.hasRoom();
  }

  @Override
  public void awaitRoom(SessionClient client) {
    waiting.addLast(client);
  }

  @Override
  public void submit(short backend, Command command, ReplyTarget target) {
    if (state == State.ENDED) {
      target.lost("the session has ended", "");
      return;
    }
    commands.add(target, upstream.commands().encode(backend, command));
    markDirty();
  }

  private void markDirty() {
    if (!dirty && state == State.ATTACHED) {
      dirty = true;
      upstream.dirty(this);
    }
  }

  /**
   * Asks the leader to attach it.
   *
   * @param replay whether the first of what has no reply is sent in the same exchange; not so while
   *     the session is fresh: what was sent in one that nobody has opened yet would be in doubt
   */
  void attach(Link leader, boolean replay, ByteBuf scratch) {
    detached();
    state = State.ATTACHING;
    boolean fresh = commands.fresh();
    leader.attach(commands.id(), fresh, commands.acked(), proxied);
    if (replay && !fresh && commands.hasUnsent()) {
      sendNext(leader, scratch, FIRST_BYTES);
    }
  }

  /**
   * The leader does not take it now.
   *
   * @return how often in a row since the session was attached
   */
  int refused() {
    refusals++;
    detached();
    return refusals;
  }

  /** There is no leader to send to. */
  void detached() {
    commands.detached();
    dirty = false;
    state = State.WAITING;
  }

  /**
   * The leader has attached it; the rest of what has no reply is sent.
   *
   * @param last the highest number that the group knows
   * @return false when that is one which was never sent: somebody else uses the session's id
   */
  boolean attached(long last) {
    if (last > commands.everSent()) {
      return false;
    }
    state = State.ATTACHED;
    refusals = 0;
    if (commands.hasUnsent()) {
      markDirty();
    }
    return true;
  }

  /** Sends what was not sent. */
  void send(Link leader, ByteBuf scratch) {
    dirty = false;
    boolean goesOn = state == State.ATTACHED;
    while (goesOn && commands.hasUnsent()) {
      goesOn = sendNext(leader, scratch, FRAME_BYTES);
    }
  }

  /** Sends a frame; false when the reply to the one before has to come first. */
  private boolean sendNext(Link leader, ByteBuf scratch, int bytesMax) {
    long first = commands.sent() + 1;
    boolean singly = first <= singlyTo;
    if (singly && first > commands.acked() + 1) {
      return false;
    }
    int count = commands.send(singly ? 0 : bytesMax, scratch.clear());
    leader.commands(commands.id(), commands.acked(), first, count, scratch);
    return true;
  }

  /**
   * A reply has come.
   *
   * @param tell tells it to whoever waits for it
   * @return false when it is none that may come now
   */
  boolean reply(long number, Consumer<ReplyTarget> tell) {
    if (number <= commands.acked() || state != State.ATTACHED) {
      return true; // It was answered before, or comes from before the session was attached anew.
    }
    if (!commands.expects(number)) {
      return false;
    }
    garbledAlone = 0;
    tell.accept(commands.answered(number));
    if (number <= singlyTo && commands.hasUnsent()) {
      markDirty();
    }
    if (!waiting.isEmpty() && commands.pending() <= WINDOW.commandsMax() / 2 && hasRoom()) {
      upstream.resume(this);
    }
    return true;
  }

  /**
   * One end could not read what the other sent. What had no reply is sent again one by one, so that
   * what does it shows; a command that did it twice is given up, and not sent for ever.
   */
  void garbled() {
    if (commands.sent() == commands.acked()) {
      return;
    }
    boolean alone = commands.sent() == commands.acked() + 1;
    singlyTo = Math.max(singlyTo, commands.sent());
    if (alone && ++garbledAlone == GARBLED_MAX) {
      garbledAlone = 0;
      commands
          .answered(commands.acked() + 1)
          .lost("the link to the GTM broke over this command, again and again", "Report it.");
    }
  }

  /** Lets those go on that waited for room, as long as there is some. */
  void resumeWaiting() {
    for (int left = waiting.size(); left > 0 && hasRoom(); left--) {
      waiting.removeFirst().resume();
    }
  }

  @Override
  public void join(SessionClient client) {
    clients.add(client);
  }

  @Override
  public void leave(SessionClient client) {
    clients.remove(client);
    waiting.remove(client);
  }

  /** Another leader is there, or the same one over another link. */
  void leaderChanged() {
    if (!commands.fresh()) {
      for (SessionClient client : clients.toArray(new SessionClient[0])) {
        client.leaderChanged();
      }
    }
  }

  /** The group has lost it: nobody can tell what became of the commands without a reply. */
  void lost(String message, String hint) {
    state = State.ENDED;
    commands.abandon(target -> target.lost(message, hint));
    // Who waits for room may be a client that has gone, which is in no other list.
    Set<SessionClient> told = new LinkedHashSet<>(clients);
    told.addAll(waiting);
    clients.clear();
    waiting.clear();
    told.forEach(client -> client.sessionLost(message, hint));
  }

  @Override
  public void close() {
    if (state != State.ENDED) {
      upstream.end(this);
      state = State.ENDED;
      commands.abandon(target -> {});
    }
  }
}
