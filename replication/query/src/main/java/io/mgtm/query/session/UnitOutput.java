package io.mgtm.query.session;

import io.mgtm.query.sql.Refusal;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Messages;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** What a unit tells its client, at once or when it is committed. Belongs to a session. */
final class UnitOutput {
  private static final int TRIAL_BYTES = 64 << 10;

  private final ReplicatedSession session;
  private final List<ByteBuf> held = new ArrayList<>();
  private boolean hold;
  private boolean sent;
  private long bytes;

  /** Where a trial began in what is held; negative where there is none. */
  private int trial = -1;

  private boolean heldBefore;
  private boolean deaf;

  UnitOutput(ReplicatedSession session) {
    this.session = session;
  }

  /** As a client is told of it. */
  static ErrorFields error(Refusal refusal) {
    return ErrorFields.error(refusal.sqlState(), refusal.message()).withHint(refusal.hint());
  }

  /** Holds what comes, as far as that is little, so that it can be forgotten. */
  void beginTrial() {
    heldBefore = hold;
    hold = true;
    trial = held.size();
  }

  /** Whether all that came since the trial began is held. */
  boolean isTrial() {
    return trial >= 0;
  }

  /** It was none. */
  void endTrial() {
    if (trial >= 0) {
      trial = -1;
      hold = heldBefore;
      if (!hold) {
        send();
      }
    }
  }

  /** Forgets what came since it began, where there is one. */
  void dropTrial() {
    if (trial >= 0) {
      dropAfter(trial);
      trial = -1;
      hold = heldBefore;
    }
  }

  /** Forgets what came since a trial began, and what comes. */
  void deafen() {
    dropTrial();
    deaf = true;
  }

  /** Takes what comes again. */
  void hear() {
    deaf = false;
  }

  /** Whether what comes is held from now on. */
  void hold(boolean answers) {
    hold = answers;
  }

  boolean isHeld() {
    return hold;
  }

  /** How much is held, for {@link #dropAfter}. */
  int mark() {
    return held.size();
  }

  /** Forgets what came after a mark and is held still. */
  void dropAfter(int mark) {
    List<ByteBuf> rest = held.subList(Math.min(mark, held.size()), held.size());
    for (ByteBuf one : rest) {
      bytes -= one.readableBytes();
      one.release();
    }
    rest.clear();
  }

  /** Whether the client was told something already. */
  boolean isSent() {
    return sent;
  }

  /** What is held. */
  long bytes() {
    return bytes;
  }

  /** Something for the client, which is taken over. */
  void forward(ByteBuf one) {
    if (deaf) {
      one.release();
    } else if (hold) {
      held.add(one);
      bytes += one.readableBytes();
      if (trial >= 0 && bytes > TRIAL_BYTES) {
        endTrial();
      }
    } else {
      sent = true;
      session.client().write(one);
    }
  }

  /** Answers a command that has run as a server would. */
  void answer(Segment segment, String tag) {
    answer(segment, Messages.commandComplete(session.alloc(), tag));
  }

  /** What a server would answer to a command that has run, or was refused, by its last message. */
  void answer(Segment segment, ByteBuf last) {
    if (segment == null || segment.simple() != null) {
      forward(last);
      return;
    }
    for (Step step : segment.steps()) {
      switch (step.type()) {
        case 'P' -> forward(Messages.empty(session.alloc(), '1'));
        case 'B' -> forward(Messages.empty(session.alloc(), '2'));
        case 'C' -> forward(Messages.empty(session.alloc(), '3'));
        case 'D' -> {
          if (!step.isOfPortal()) {
            forward(Messages.noParameters(session.alloc()));
          }
          forward(Messages.empty(session.alloc(), 'n'));
        }
        default -> forward(last);
      }
    }
  }

  /** Tells what is held. */
  void send() {
    sent |= !held.isEmpty();
    held.forEach(one -> session.client().write(one));
    held.clear();
    bytes = 0;
  }

  /** Forgets what is held. */
  void drop() {
    trial = -1;
    dropAfter(0);
  }
}
