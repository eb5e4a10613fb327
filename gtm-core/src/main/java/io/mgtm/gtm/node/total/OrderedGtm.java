package io.mgtm.gtm.node.total;

import io.mgtm.group.LogException;
import io.mgtm.group.Pieces;
import io.mgtm.group.StatePicture;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.node.backup.Restore;
import io.mgtm.gtm.node.engine.GtmStateMachine;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.link.LinkCommand;
import io.mgtm.gtm.wire.link.RefusalCode;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * What {@link MemberOp}s do to the GTM's state and to the table of attachments: the same on every
 * member, whoever proposed them. No clock, I/O or randomness. Owner thread.
 */
public final class OrderedGtm {
  private final GtmStateMachine machine;
  private final Attachments attachments = new Attachments();
  private Effect effect = Effect.NONE;

  public OrderedGtm(GtmStateMachine machine) {
    this.machine = machine;
  }

  /** The state alone, as it is now. */
  StatePicture statePicture() {
    return machine.picture();
  }

  public GtmState state() {
    return machine.state();
  }

  Attachments attachments() {
    return attachments;
  }

  /** Begins a proposal; a member whose clock is behind does not take the time back. */
  void begin(MemberOpCodec.Header header) {
    effect = Effect.NONE;
    state().setLimits(header.limits());
    state().beginEntry(Math.max(header.micros(), state().changedMicros()));
  }

  /** The strongest effect since {@link #begin}. */
  Effect effect() {
    return effect;
  }

  private Reply command(Command command) {
    Reply reply = state().apply(command);
    effect = effect.and(state().effect());
    return reply;
  }

  /** Applies an op of the entry of an index. */
  void apply(long index, MemberOp op, OpResults results) {
    if (op instanceof MemberOp.Commands o) {
      commands(o, results);
    } else if (op instanceof MemberOp.Attach o) {
      attach(o, results);
    } else if (op instanceof MemberOp.Detach o) {
      attachments.detach(o.session(), o.attachment(), index);
    } else if (op instanceof MemberOp.Close o) {
      if (attachments.detach(o.session(), o.attachment(), index)) {
        end(o.session());
      }
    } else if (op instanceof MemberOp.Expire o) {
      Attachments.Attachment at = attachments.of(o.session());
      if (!at.attached() && at.detachedAt() == o.detachedAt()) {
        end(o.session());
      }
    } else if (op instanceof MemberOp.Begin o) {
      attachments.detachAll(o.member(), index);
      command(new SessionCommand.AnnounceMember(o.member(), o.address()));
      machine.membersChanged();
    } else if (op instanceof MemberOp.Gone o) {
      attachments.detachAll(o.member(), index);
    } else if (op instanceof MemberOp.First o && !state().started()) {
      first(o.commands());
    }
  }

  private void first(List<Command> commands) {
    for (Command command : commands) {
      if (command(command) instanceof Reply.Rejected rejected) {
        throw new IllegalStateException(rejected.message());
      }
    }
  }

  /** A piece of a backup, in the form of {@link Restore}; one that does not fit does nothing. */
  void piece(long index, ByteBuffer payload) {
    effect = Effect.NONE;
    boolean fits =
        !state().started() && Restore.fits(payload.duplicate(), state().restoring().bytes());
    if (fits) {
      machine.apply(index, payload);
      effect = state().started() ? Effect.FORCED : Effect.LOGGED;
      attachments.clear();
    }
  }

  private void end(long session) {
    attachments.forget(session);
    command(new SessionCommand.CloseSession(session));
  }

  private void attach(MemberOp.Attach op, OpResults results) {
    GtmState.GatewayInfo known = state().gateway(op.session());
    if (known == null && !op.fresh()) {
      results.refused(
          op.session(),
          RefusalCode.SESSION_LOST,
          "the session has ended",
          "What was not answered may have been done or not.");
      return;
    }
    if (known != null
        && (!known.gateway().equals(op.gateway())
            || known.kind() != op.kind()
            || known.proxied() != op.proxied())) {
      results.refused(op.session(), RefusalCode.PROTOCOL, "the session is another gateway's", "");
      return;
    }
    if (known == null && !open(op, results)) {
      return;
    }
    attachments.attach(op.session(), op.attachment(), op.member());
    long last = state().gateway(op.session()).last();
    results.attached(op.session(), op.attachment(), op.proxied(), last);
  }

  /** False when the session was refused. */
  private boolean open(MemberOp.Attach op, OpResults results) {
    if (state().counts().sessions() >= op.sessionsMax()) {
      results.refused(
          op.session(),
          RefusalCode.LIMITS,
          "the limit of " + op.sessionsMax() + " sessions is reached",
          "Raise limits.connectionsMax.");
      return false;
    }
    if (!op.proxied() && !endUnattached(op, results)) {
      return false;
    }
    command(new SessionCommand.OpenGateway(op.session(), op.gateway(), op.kind(), op.proxied()));
    return true;
  }

  /** A gateway that starts over no longer needs its old sessions; false when one is in use. */
  private boolean endUnattached(MemberOp.Attach op, OpResults results) {
    List<GtmState.GatewayInfo> old =
        state().gateways().stream()
            .filter(s -> s.gateway().equals(op.gateway()) && s.kind() == op.kind())
            .toList();
    if (old.stream().anyMatch(s -> !s.proxied() && attachments.of(s.session()).attached())) {
      results.refused(
          op.session(),
          RefusalCode.NAME_IN_USE,
          "another gateway named \"" + op.gateway() + "\" is connected",
          "Give each proxy a name of its own, or wait until the other's connection is found dead.");
      return false;
    }
    old.stream()
        .filter(s -> !attachments.of(s.session()).attached())
        .forEach(s -> end(s.session()));
    return true;
  }

  private void commands(MemberOp.Commands op, OpResults results) {
    GtmState.GatewayInfo session = state().gateway(op.session());
    if (session == null) {
      results.refused(
          op.session(),
          RefusalCode.SESSION_LOST,
          "the session has ended",
          "What was not answered may have been done or not.");
      return;
    }
    if (attachments.of(op.session()).attachment() != op.attachment()) {
      results.notAttached(op.session());
      return;
    }
    results.commands(op, session.proxied());
    for (int i = 0; i < op.commands().size(); i++) {
      LinkCommand next = op.commands().get(i);
      if (next.command().type().query()) {
        results.query(op, i, next.command());
      } else {
        Reply reply =
            command(
                new SessionCommand.Numbered(
                    op.session(), op.first() + i, op.acked(), next.command()));
        results.reply(op, i, reply);
      }
    }
    results.commandsEnd();
  }

  /** What was acknowledged may be missing: nobody's session goes on. */
  void entriesMayBeMissing(long index) {
    machine.entriesMayBeMissing(index);
    attachments.clear();
  }

  /** {@code | attachments | checkpoint of the state |}. */
  StatePicture picture() {
    byte[] places = attachments.encoded();
    StatePicture state = machine.picture();
    return pieces -> {
      pieces.accept(ByteBuffer.wrap(places));
      state.writeTo(pieces);
    };
  }

  Runnable load(Pieces encoded) {
    Attachments loaded = new Attachments();
    try {
      encoded.head(loaded::restore);
    } catch (BufferUnderflowException e) {
      throw LogException.damaged("The checkpoint's table of attachments is damaged", e);
    }
    Runnable state = machine.load(encoded);
    return () -> {
      attachments.become(loaded);
      state.run();
    };
  }
}
