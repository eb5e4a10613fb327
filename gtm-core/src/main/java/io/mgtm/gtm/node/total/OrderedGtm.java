package io.mgtm.gtm.node.total;

import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.Pieces;
import io.mgtm.group.StatePicture;
import io.mgtm.group.total.OrderedMachine;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.UnknownCommandException;
import io.mgtm.gtm.node.backup.Restore;
import io.mgtm.gtm.node.engine.Engine;
import io.mgtm.gtm.node.engine.GtmStateMachine;
import io.mgtm.gtm.node.engine.SessionRules;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.link.LinkCommand;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The GTM as what the proposals of a group in mode {@code total} mean: what {@link MemberOp}s do to
 * its state and to the table of attachments, the same on every member, whoever proposed them. No
 * clock, I/O or randomness. Owner thread.
 */
public final class OrderedGtm implements OrderedMachine {

  /** Applies this process' own proposals from memory, and makes their replies. */
  interface OwnBatches {
    /** False when it is none of a batch: then it is applied as another member's. */
    boolean apply(long number, long index);

    /** A session no longer has this attachment, of whichever member. */
    default void moved(long session, long attachment) {}
  }

  private final GtmStateMachine machine;
  private final Attachments attachments = new Attachments();
  private final SessionRules.Sessions sessions = new OrderedSessions();
  private OwnBatches batches = (number, index) -> false;
  private Effect effect = Effect.NONE;

  public OrderedGtm(GtmStateMachine machine) {
    this.machine = machine;
  }

  /** This process proposes from now on. */
  void serve(OwnBatches of) {
    batches = of;
  }

  @Override
  public Durability apply(long index, long own, ByteBuffer payload) {
    ByteBuffer in = payload.duplicate();
    try {
      byte version = in.get();
      if (version == Restore.ENTRY_VERSION) {
        piece(index, payload.duplicate());
        return Engine.durability(effect);
      }
      if (version != MemberOpCodec.VERSION) {
        throw GtmStateMachine.newer("proposal " + index + " has format version " + version, null);
      }
      begin(MemberOpCodec.header(in));
      if (own == 0 || !batches.apply(own, index)) {
        while (in.hasRemaining()) {
          apply(index, MemberOpCodec.decode(in), OpResults.NONE);
        }
      }
      return Engine.durability(effect);
    } catch (UnknownCommandException e) {
      throw GtmStateMachine.newer("proposal " + index + ": " + e.getMessage(), e);
    } catch (BufferUnderflowException e) {
      throw LogException.damaged("Proposal %d of the log ends within an op".formatted(index), e);
    }
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
      attachments.detachAll(o.member(), index, batches::moved);
      command(new SessionCommand.AnnounceMember(o.member(), o.address()));
      machine.membersChanged();
    } else if (op instanceof MemberOp.Gone o) {
      attachments.detachAll(o.member(), index, batches::moved);
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
  private void piece(long index, ByteBuffer payload) {
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
    SessionRules.Refusal refusal =
        SessionRules.admit(op.request(), state(), op.sessionsMax(), sessions);
    if (refusal != null) {
      results.refused(op.session(), op.attachment(), refusal);
      return;
    }
    Attachments.Attachment before = attachments.of(op.session());
    attachments.attach(op.session(), op.attachment(), op.member());
    if (before.attached()) {
      batches.moved(op.session(), before.attachment());
    }
    results.attached(op.session(), state().gateway(op.session()).last());
  }

  private final class OrderedSessions implements SessionRules.Sessions {
    @Override
    public boolean isAttached(long session) {
      return attachments.of(session).attached();
    }

    @Override
    public void open(SessionCommand.OpenGateway command) {
      command(command);
    }

    @Override
    public void end(GtmState.GatewayInfo session) {
      OrderedGtm.this.end(session.session());
    }
  }

  private void commands(MemberOp.Commands op, OpResults results) {
    GtmState.GatewayInfo session = state().gateway(op.session());
    if (session == null) {
      results.refused(op.session(), op.attachment(), SessionRules.Refusal.LOST);
      return;
    }
    if (attachments.of(op.session()).attachment() != op.attachment()) {
      results.notAttached(op.session(), op.attachment());
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

  /** Nobody's session goes on. */
  @Override
  public void entriesMayBeMissing(long index, boolean keptByClients) {
    machine.entriesMayBeMissing(index, keptByClients);
    attachments.clear();
  }

  /** {@code | attachments | checkpoint of the state |}. */
  @Override
  public StatePicture picture() {
    byte[] places = attachments.encoded();
    StatePicture state = machine.picture();
    return pieces -> {
      pieces.accept(ByteBuffer.wrap(places));
      state.writeTo(pieces);
    };
  }

  @Override
  public Runnable load(Pieces encoded) {
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
