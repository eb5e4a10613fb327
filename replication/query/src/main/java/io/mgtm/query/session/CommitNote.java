package io.mgtm.query.session;

import io.mgtm.query.fleet.PositionTable;
import io.mgtm.query.wire.Rows;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What a server is sent to commit an entry of the log. Any thread. */
final class CommitNote {
  private static final int[] TYPES = {23, 20, 20, 20};

  private static final Prepared NOTE =
      new Prepared("mgtm note", PositionTable.NOTE, TYPES, null, null);

  private static final Prepared COMMIT = Prepared.effect("mgtm commit", "COMMIT");

  private CommitNote() {}

  /** Notes, in a transaction, that an entry is committed with it, and commits it, in one go. */
  static Effects commit(int slot, long number, long settled, long fence) {
    Effects all = new Effects(StandardCharsets.UTF_8);
    ByteBuf nothing = Rows.parameters(new int[0], List.of());
    int[] binary = {1};
    ByteBuf slots = Unpooled.buffer(Integer.BYTES).writeInt(slot);
    List<ByteBuf> values = List.of(slots, bytes(number), bytes(settled), bytes(fence));
    all.note(NOTE, Rows.parameters(binary, values));
    all.note(COMMIT, nothing);
    return all;
  }

  private static ByteBuf bytes(long value) {
    return Unpooled.buffer(Long.BYTES).writeLong(value);
  }
}
