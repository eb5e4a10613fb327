package io.mgtm.gtm.server;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.FrontKind;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SequenceReply;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.SnapshotReply;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.front.KeptEntries;
import io.mgtm.gtm.wire.ResultType;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.link.LinkCommand;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.gtm.wire.xc12.ReplyDecoder;
import io.mgtm.gtm.wire.xc12.ReplyHandler;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A front of a group of mode lazy and its clients, each of which begins a transaction, takes
 * snapshots, draws values and ends it, one after the other.
 */
final class LazySimFront implements ReplyHandler {
  private static final int CLIENTS = 4;
  private static final int PIECE_BYTES = 300;

  /** One client: its open transaction, and what it has asked. */
  private static final class SimulatedClient {
    int gxid;
    boolean waits;
  }

  private record Asked(int client, Command command, long micros) {}

  private final String name;
  private final FrontKind kind;
  private final long session;
  private final LazySimTime time;
  private final RandomGenerator random;
  private final LazySimFault fault;
  private final LazySimObserver observer;
  private final List<SimulatedClient> clients = new ArrayList<>();
  private final Deque<Asked> pending = new ArrayDeque<>();
  private KeptEntries kept = new KeptEntries();
  private long acked;
  private long sent;
  private long term;
  private LazySimLink link;
  private boolean fresh = true;
  private boolean attached;
  private boolean dead;
  private boolean stopping;
  private boolean forgot;

  LazySimFront(
      String name,
      FrontKind kind,
      long number,
      LazySimTime time,
      RandomGenerator random,
      LazySimFault fault,
      LazySimObserver observer) {
    this.name = name;
    this.kind = kind;
    this.session = LinkFormat.SESSION_BIT | number;
    this.time = time;
    this.random = random;
    this.fault = fault;
    this.observer = observer;
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(new SimulatedClient());
    }
  }

  String name() {
    return name;
  }

  FrontKind kind() {
    return kind;
  }

  long session() {
    return session;
  }

  boolean isDead() {
    return dead;
  }

  /** Its clients ask for nothing more. */
  void stop() {
    stopping = true;
  }

  boolean isDone() {
    return dead || pending.isEmpty();
  }

  void start() {
    for (int i = 0; i < CLIENTS; i++) {
      int client = i;
      time.after(random.nextInt(20_000), () -> ask(client));
    }
  }

  /** It ends, and its clients with it. */
  void die() {
    dead = true;
    observer.died(this);
    if (link != null) {
      link.breakNow();
    }
  }

  /** Its clients and what it kept are gone, and it says nothing of it. */
  void forget() {
    stopping = true;
    pending.clear();
    acked = sent;
    kept = new KeptEntries();
    observer.died(this);
    forgot = true;
  }

  /** A member says that it leads. */
  void standing(LazySimGroup.Member member, long inTerm) {
    time.after(
        100 + random.nextInt(3_000),
        () -> {
          if (!dead && inTerm > term) {
            lead(member, inTerm);
          }
        });
  }

  private void lead(LazySimGroup.Member member, long inTerm) {
    if (link != null) {
      link.breakNow();
    }
    attached = false;
    sent = acked;
    term = inTerm;
    link = new LazySimLink(this, member, time, random, fault);
    if (kept.term() < term) {
      for (LinkEntries piece : kept.pieces(PIECE_BYTES)) {
        link.send(new LinkWork.Present(link, ordered(piece)));
      }
    }
    link.send(new LinkWork.Attach(link, session, fresh, false));
  }

  private LinkEntries ordered(LinkEntries piece) {
    if (fault != LazySimFault.OTHER_ORDER) {
      return piece;
    }
    List<byte[]> other = new ArrayList<>(piece.entries());
    Collections.reverse(other);
    return new LinkEntries(piece.term(), piece.first(), piece.stable(), other);
  }

  /** A member has died. */
  void broken(LazySimGroup.Member member) {
    if (link != null && link.member() == member) {
      link.breakNow();
      link = null;
      attached = false;
    }
  }

  private void ask(int client) {
    SimulatedClient c = clients.get(client);
    if (dead || c.waits || stopping) {
      return;
    }
    c.waits = true;
    Command command = next(client, c);
    pending.addLast(new Asked(client, command, time.micros()));
    sendPending();
  }

  private Command next(int client, SimulatedClient c) {
    if (c.gxid == 0) {
      return new TransactionCommand.Begin(
          session, (short) client, Isolation.READ_COMMITTED, false, BeginKind.GXID);
    }
    switch (random.nextInt(4)) {
      case 0 -> {
        observer.ending(this, c.gxid);
        return new TransactionCommand.End(TransactionRef.gxid(c.gxid), Outcome.COMMIT);
      }
      case 1 -> {
        return new SequenceCommand.NextValue("s" + random.nextInt(3));
      }
      default -> {
        return new SnapshotCommand.GetSnapshot(TransactionRef.gxid(c.gxid));
      }
    }
  }

  private void sendPending() {
    if (!attached || sent - acked >= pending.size()) {
      return;
    }
    List<LinkCommand> commands =
        pending.stream()
            .skip(sent - acked)
            .map(asked -> new LinkCommand((short) asked.client(), asked.command()))
            .toList();
    link.send(new LinkWork.Commands(link, session, acked, sent + 1, commands));
    sent += commands.size();
    fresh = false;
  }

  void attached(LazySimLink by) {
    if (by == link) {
      kept.served(term);
      attached = true;
      sent = acked;
      sendPending();
    }
  }

  void refused(LazySimLink by, RefusalCode code, String message) {
    if (by == link && code != RefusalCode.NOT_LEADING && !forgot) {
      throw new LazySimViolation(name + " is refused: " + message);
    }
  }

  void entries(LazySimLink by, LinkEntries entries) {
    if (by == link) {
      kept.add(entries);
    }
  }

  void reply(LazySimLink by, long number, ByteBuf bytes) {
    if (by != link || number <= acked || forgot) {
      return;
    }
    if (number != acked + 1 || number > sent) {
      throw new LazySimViolation("reply " + number + " came after " + acked);
    }
    acked = number;
    try {
      new ReplyDecoder(1 << 20, false, this).decode(bytes);
    } catch (WireException e) {
      throw new LazySimViolation("a reply cannot be read", e);
    }
    if (fault == LazySimFault.FORGET_AT_REPLY) {
      kept = new KeptEntries();
    }
  }

  @Override
  public void startupAccepted() {
    throw new LazySimViolation("a startup was accepted that nobody sent");
  }

  @Override
  public void error(short backend, boolean fatal, String message, String hint) {
    throw new LazySimViolation("a client of " + name + " got an error: " + message);
  }

  @Override
  public void reply(ResultType type, short backend, Reply reply) {
    Asked asked = pending.removeFirst();
    SimulatedClient c = clients.get(asked.client());
    if (reply instanceof TransactionReply.Began began) {
      c.gxid = began.gxid();
      observer.began(this, began.gxid(), time.micros());
    } else if (reply instanceof TransactionReply.Ended end) {
      observer.ended(this, c.gxid, end.known(), time.micros());
      c.gxid = 0;
    } else if (reply instanceof SequenceReply.Value value) {
      observer.drew(value.key(), value.value());
    } else if (reply instanceof SnapshotReply.Snapshot snapshot) {
      observer.saw(this, snapshot, asked.micros(), time.micros());
    } else {
      throw new LazySimViolation(asked.command() + " was answered with " + reply);
    }
    c.waits = false;
    int client = asked.client();
    time.after(random.nextInt(8_000), () -> ask(client));
  }
}
