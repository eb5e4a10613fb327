package io.mgtm.block.volume;

import io.mgtm.block.volume.Change.Kind;
import io.mgtm.block.volume.Meeting.Decision;
import java.util.function.Consumer;

/**
 * The target's side: takes a source's frames in order and applies them through the same core. One
 * source at a time.
 *
 * <p>Frames that come while the state is being written down wait in a bounded backlog, see {@link
 * FrameOrder}: whoever reads the connection stops reading while {@link #isBlocked}.
 */
public final class Receiver {
  private final VolumeCore core;
  private final StateKeeper states;
  private final VolumeEffects effects;
  private final FrameOrder order = new FrameOrder();
  private final DoneWindow done = new DoneWindow();
  private final ReceivedStability stability;
  private ReceiverEffects connection;
  private Identity source;
  private String lastSource = "";
  private long session;
  private final Following following;
  private final SourceChoice choice;
  private int underWay;

  Receiver(VolumeCore core, StateKeeper states, VolumeEffects effects) {
    this.core = core;
    this.states = states;
    this.effects = effects;
    following = new Following(core, states, effects);
    choice = new SourceChoice(core);
    stability = new ReceivedStability(core, done);
  }

  /** Whether a source is connected. */
  public boolean isConnected() {
    return connection != null;
  }

  /** The connected source, or null. */
  public Identity source() {
    return source;
  }

  String sourceNode() {
    return lastSource;
  }

  /** Whether this side equals a connected primary, but for what is under way. */
  boolean isFollowingPrimary() {
    return following.isOn() && source.role() == Role.PRIMARY;
  }

  /** Whether frames are to be left unread for now. */
  public boolean isBlocked() {
    return order.isHeld();
  }

  /**
   * All up to this sequence number are in memory and will reach the disk even if the source is lost
   * now; frames in the backlog are not counted, for the backlog goes with its connection.
   */
  public long received() {
    return order.received();
  }

  /** All up to this sequence number have come, those in the backlog too. */
  long arrived() {
    return order.arrived();
  }

  /** All up to this sequence number are on the disk. */
  public long written() {
    return done.contiguous();
  }

  /** All up to this sequence number are on stable storage. */
  public long durable() {
    return stability.durable();
  }

  /**
   * A source introduced itself. When accepted, its frames go to this object from now on, and an
   * older connection of the same source is closed.
   */
  public Decision meet(Identity newSource, ReceiverEffects newConnection) {
    if (newSource.role() == Role.PRIMARY && following.isBehind(newSource)) {
      core.administration().superseded("node " + newSource.nodeId() + " is primary and newer");
    }
    Identity present = connection == null ? null : source;
    boolean alive = connection != null && connection.isAlive();
    String writing = underWay > 0 ? lastSource : null;
    Decision decision = choice.decide(newSource, present, alive, writing);
    if (!decision.accepted()) {
      return decision;
    }
    if (following.isBehind(newSource)) {
      core.administration().superseded("node " + newSource.nodeId() + " is newer");
    }
    if (connection != null) {
      close("node " + newSource.nodeId() + " connected instead");
    }
    session++;
    connection = newConnection;
    source = newSource;
    lastSource = newSource.nodeId();
    order.begin();
    stability.begin();
    done.reset();
    effects.notice("following source " + newSource.nodeId());
    return decision;
  }

  /** Why {@code candidate} is not to be told what this copy is, or null. */
  public String refusalToTestify(Identity candidate) {
    boolean alive = connection != null && connection.isAlive();
    return alive && SourceChoice.isTwin(candidate, source) ? SourceChoice.TWIN : null;
  }

  SourceChoice choice() {
    return choice;
  }

  /** The source cuts this side off, to go on without it. */
  public void cutOff(ReceiverEffects which) {
    following.cutOff(connection == which);
  }

  /** The connection is gone. */
  public void lost(ReceiverEffects which, String reason) {
    if (connection == which && connection != null) {
      connection = null;
      forget();
      effects.notice("source " + source.nodeId() + " lost: " + reason);
    }
  }

  /** Ends the connection. */
  void close(String reason) {
    if (connection != null) {
      ReceiverEffects closing = connection;
      connection = null;
      forget();
      effects.notice("source " + source.nodeId() + " dropped: " + reason);
      closing.close(reason);
    }
  }

  private void forget() {
    following.left();
    session++;
    stability.forget();
    order.forget();
    if (states.current().role() == Role.SECONDARY) {
      // Whom this side feeds must not take it for a source that is fed: two could feed each other.
      core.loseAll("this side has lost its own source");
    }
  }

  // Frames, in the order of their arrival.

  /** A write, zeroing or flush. */
  public void change(long seq, Change change) {
    change.fromUpstream();
    inOrder(seq, () -> apply(seq, change), change);
  }

  private void apply(long seq, Change change) {
    change.seq = seq;
    change.session = session;
    boolean ordered = change.ordered && states.current().consistent();
    if (change.kind == Kind.FLUSH) {
      effects.complete(change, Errno.OK);
      stability.want(seq);
      holdUntilDurable(ordered, seq);
      finished(seq);
      return;
    }
    if (change.fua) {
      change.fua = false;
      stability.want(seq);
      holdUntilDurable(ordered, seq);
    }
    underWay++;
    core.submit(change);
  }

  /**
   * On a link whose source does not wait for this side's stable storage, what follows a FLUSH or
   * FUA may depend on it: it is not written before that is durable here. Else a crash of this side
   * could keep the later bytes and lose the earlier ones.
   */
  private void holdUntilDurable(boolean ordered, long seq) {
    if (ordered) {
      stability.holdUntil(seq);
      order.hold();
    }
  }

  /** A request for a checksum, {@link Change#readRange}, or bytes, {@link Change#readBytes}. */
  public void read(long seq, Change read) {
    read.fromUpstream();
    inOrder(seq, () -> apply(seq, read), read);
  }

  /** A resync begins; {@code chunks} differ. */
  public void syncStart(long seq, int chunks, Generations generations) {
    inOrder(
        seq,
        () ->
            writeDown(
                seq,
                then -> {
                  if (chunks > 0) {
                    following.begin(source, then);
                  } else {
                    adopt(generations, then);
                  }
                }),
        null);
  }

  /** All chunks of a resync were sent. */
  public void syncDone(long seq, Generations generations) {
    inOrder(
        seq,
        () -> {
          order.hold();
          stability.afterAllBefore(
              seq, session, () -> writeDown(seq, then -> adopt(generations, then)));
        },
        null);
  }

  /** The source's history is newer from here on. */
  public void generations(long seq, Generations generations) {
    inOrder(
        seq,
        () -> {
          if (states.current().consistent()) {
            writeDown(seq, then -> adopt(generations, then));
          } else {
            finished(seq);
          }
        },
        null);
  }

  private void adopt(Generations generations, Runnable then) {
    long begun = session;
    following.adopt(generations, source, () -> begun == session && connection != null, then);
  }

  /** The source is no longer primary, and this side is the newest copy from here on. */
  public void handover(long seq) {
    inOrder(seq, () -> writeDown(seq, following::handedOver), null);
  }

  /** The source has grown. */
  public void resize(long seq, long sizeBytes) {
    inOrder(seq, () -> writeDown(seq, then -> grow(sizeBytes, then)), null);
  }

  private void grow(long sizeBytes, Runnable then) {
    long begun = session;
    core.administration()
        .resize(
            sizeBytes,
            failure -> {
              if (failure == null) {
                then.run();
              } else if (begun == session) {
                close("cannot grow to " + sizeBytes + " bytes: " + failure);
              }
            });
  }

  private void inOrder(long seq, Runnable what, Change change) {
    if (connection == null || !order.isDue(seq)) {
      if (change != null) {
        effects.complete(change, Errno.EINVAL);
      }
      if (connection != null) {
        close("frame " + seq + " came where " + (order.arrived() + 1) + " was due");
      }
      return;
    }
    order.take(
        seq,
        () -> {
          if (connection != null) {
            what.run();
          } else if (change != null) {
            effects.complete(change, Errno.ESHUTDOWN);
          }
        });
    if (connection != null) {
      connection.acknowledge();
    }
  }

  /** Lets no frame pass until {@code update} has told its argument that it is durable. */
  private void writeDown(long seq, Consumer<Runnable> update) {
    order.hold();
    long begun = session;
    update.accept(() -> unblock(begun, seq));
  }

  /** What blocked is durable: the frame counts as done and those behind it go on. */
  private void unblock(long begun, long seq) {
    if (begun != session || connection == null) {
      return;
    }
    order.release();
    stability.want(seq);
    finished(seq);
    drain();
  }

  private void drain() {
    order.drain();
    if (connection != null) {
      connection.acknowledge();
    }
  }

  // Completion.

  /** A change of the source is applied, or failed. */
  void completed(Change change, int errno) {
    if (change.kind != Kind.FLUSH) {
      underWay--;
    }
    if (change.session != session || connection == null) {
      return;
    }
    if (change.kind == Kind.FLUSH) {
      flushed(change, errno);
      return;
    }
    if (errno != Errno.OK) {
      close(
          "the replica's disk refused "
              + change.length
              + " bytes at offset "
              + change.offset
              + ", error "
              + errno
              + (errno == Errno.ENOSPC ? " (no space left): give it room" : ""));
      return;
    }
    if (change.kind == Kind.READ_RANGE) {
      connection.sendChecksum(change.seq, change);
    } else if (change.kind == Kind.READ_BYTES) {
      connection.sendBytes(change.seq, change);
    }
    finished(change.seq);
  }

  private void finished(long seq) {
    done.add(seq);
    stability.flushIfWanted(session);
    if (connection != null) {
      connection.acknowledge();
    }
  }

  private void flushed(Change flush, int errno) {
    stability.flushed(flush.seq, errno == Errno.OK);
    if (errno != Errno.OK) {
      close("the replica's disk failed to flush, error " + errno);
      return;
    }
    connection.acknowledge();
    if (stability.barrierFalls()) {
      order.release();
      stability.flushIfWanted(session);
      drain();
      return;
    }
    Runnable due = stability.due();
    if (due == null) {
      stability.flushIfWanted(session);
    } else {
      due.run();
    }
  }
}
