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

/** Writes batches: the bytes of a proposal, and what it holds. Owner thread. */
final class BatchWriter {
  private final Limits limits;
  private final ByteBuffer buffer = ByteBuffer.allocate(EntryWriter.ENTRY_BYTES_MAX);
  private TotalBatch batch = new TotalBatch();

  /** What the replies of a batch take, at most about. */
  private static final long REPLY_BYTES_MAX = 8 << 20;

  BatchWriter(Limits limits) {
    this.limits = limits;
  }

  void begin(long micros) {
    batch = new TotalBatch();
    buffer.clear();
    MemberOpCodec.header(buffer, micros, limits);
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

  /** Adds as many commands as fit, and says how many. */
  int add(LinkWork.Commands work, long attachment) {
    int head = buffer.position();
    buffer.position(head + MemberOpCodec.COMMANDS_HEAD_BYTES);
    int fit = 0;
    while (fit < work.commands().size() && hasSpace()) {
      LinkCommand next = work.commands().get(fit++);
      MemberOpCodec.encode(next, buffer);
      batch.promise(replyBytesMax(next.command()));
    }
    MemberOp.Commands op =
        new MemberOp.Commands(
            work.session(),
            attachment,
            work.acked(),
            work.first(),
            work.commands().subList(0, fit));
    MemberOpCodec.commandsHead(op, buffer, head);
    batch.add(new TotalBatch.Item(work.peer(), op, null));
    return fit;
  }

  private long replyBytesMax(Command command) {
    if (command instanceof SnapshotCommand) {
      return 64 + (long) Integer.BYTES * limits.snapshotGxidsMax();
    }
    return command.type().lists() ? ListAdmission.SHORT_BYTES : 0;
  }
}
