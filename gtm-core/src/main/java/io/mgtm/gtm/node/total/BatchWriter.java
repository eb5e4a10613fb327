package io.mgtm.gtm.node.total;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.node.engine.EntryAppender;
import io.mgtm.gtm.node.engine.EntryWriter;
import io.mgtm.gtm.node.engine.GatewayPeer;
import io.mgtm.gtm.node.engine.LinkWork;
import io.mgtm.gtm.node.engine.ListAdmission;
import io.mgtm.gtm.node.engine.StateCopy;
import io.mgtm.gtm.state.Limits;
import io.mgtm.gtm.wire.link.LinkCommand;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Writes batches: the bytes of a proposal, and what it holds. Commands that do not fit are kept for
 * the next one. Owner thread.
 */
final class BatchWriter {
  private final Limits limits;
  private final ByteBuffer buffer = ByteBuffer.allocate(EntryWriter.ENTRY_BYTES_MAX);
  private TotalBatch batch = new TotalBatch();

  /** What the replies of a batch take, at most about. */
  private static final long REPLY_BYTES_MAX = 8 << 20;

  /** The rest of commands that did not fit, and their attachment. */
  private LinkWork.Commands rest;

  private long restAttachment;

  BatchWriter(Limits limits) {
    this.limits = limits;
  }

  /** Begins a batch; the answer is whether it has space beside what is left of the one before. */
  boolean begin(long micros) {
    batch = new TotalBatch();
    buffer.clear();
    MemberOpCodec.header(buffer, micros, limits);
    return rest == null || add(rest, restAttachment);
  }

  TotalBatch batch() {
    return batch;
  }

  /** Its bytes, from position to limit. */
  ByteBuffer bytes() {
    return buffer.flip();
  }

  /** Whether any op fits, and there is room for what is answered. */
  boolean hasSpace() {
    return batch.replyBytes() < REPLY_BYTES_MAX
        && buffer.remaining() >= EntryAppender.COMMAND_BYTES_MAX;
  }

  boolean hasRest() {
    return rest != null;
  }

  /** Whether the rest is of a link that takes no more now. */
  boolean isRestStalled() {
    return rest != null && !rest.peer().takesMore();
  }

  long restAttachment() {
    return restAttachment;
  }

  /** Forgets the rest; the answer is what it was, or null. */
  LinkWork.Commands dropRest() {
    LinkWork.Commands dropped = rest;
    rest = null;
    return dropped;
  }

  /** Adds an op when there is space for it; false when there is none. */
  boolean add(GatewayPeer peer, MemberOp op) {
    if (!hasSpace()) {
      return false;
    }
    MemberOpCodec.encode(op, buffer);
    batch.add(new TotalBatch.Item(peer, op, null));
    return true;
  }

  /** Somebody wants the state at this place. */
  void add(StateCopy copy) {
    batch.add(new TotalBatch.Item(null, null, copy));
  }

  /** Adds as many commands as fit; false when some are left. */
  boolean add(LinkWork.Commands work, long attachment) {
    rest = null;
    int head = buffer.position();
    buffer.position(head + MemberOpCodec.COMMANDS_HEAD_BYTES);
    int fit = 0;
    while (fit < work.commands().size() && hasSpace()) {
      LinkCommand next = work.commands().get(fit++);
      MemberOpCodec.encode(next, buffer);
      batch.promise(replyBytesMax(next.command()));
    }
    boolean all = fit == work.commands().size();
    List<LinkCommand> taken = all ? work.commands() : work.commands().subList(0, fit);
    MemberOp.Commands op =
        new MemberOp.Commands(work.session(), attachment, work.acked(), work.first(), taken);
    MemberOpCodec.commandsHead(op, buffer, head);
    batch.add(new TotalBatch.Item(work.peer(), op, null));
    if (!all) {
      rest = work.from(fit);
      restAttachment = attachment;
    }
    return all;
  }

  private long replyBytesMax(Command command) {
    if (command instanceof SnapshotCommand) {
      return 64 + (long) Integer.BYTES * limits.snapshotGxidsMax();
    }
    return command.type().lists() ? ListAdmission.SHORT_BYTES : 0;
  }
}
