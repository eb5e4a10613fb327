package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.Difference;
import io.mgtm.query.fleet.Ejection;
import io.mgtm.query.sql.RowWrite;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Messages;
import io.mgtm.query.wire.Rows;
import io.mgtm.query.wire.StartupPacket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.Charset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * What the other servers are to do after the leader has run a segment, in its order: texts, and
 * statements with their parameters; and what each must answer. Belongs to a session.
 */
final class Effects {
  /**
   * One of them.
   *
   * @param afterNames of its Bind; null for a text
   * @param tag of CommandComplete, null for any
   * @param kept whether it stands in the log; what is about the session does not
   * @param setting the name without which a server passes it over; or null
   */
  private record Item(
      Prepared prepared, ByteBuf afterNames, String tag, boolean kept, String setting) {}

  /** At the least, of what has values. */
  static final int ITEM_BYTES = 64;

  private final List<Item> items = new ArrayList<>();
  private final Charset charset;
  private long bytes;
  private boolean replica;

  Effects(Charset charset) {
    this.charset = charset;
  }

  boolean isEmpty() {
    return items.isEmpty();
  }

  long bytes() {
    return bytes;
  }

  int size() {
    return items.size();
  }

  /** No triggers are to run where they are written. */
  void asReplica() {
    replica = true;
  }

  /** The same text. */
  void text(Prepared statement, String tag) {
    items.add(new Item(statement, null, tag, true, null));
  }

  /**
   * The same text, which is about the session: the log has the settings that matter itself.
   *
   * @param name of the setting, where servers that do not know it pass it over; or null
   */
  void setting(Prepared statement, String tag, String name) {
    items.add(new Item(statement, null, tag, false, name));
  }

  /** What holds for statements of the client's does not for what the others are to do. */
  void withoutTimeouts() {
    for (String one : ServerSet.NO_TIMEOUTS) {
      setting(Prepared.effect("", one), "SET", null);
    }
  }

  /** The same statement with the same parameters. */
  void same(Prepared statement, ByteBuf afterNames, String tag) {
    add(new Item(statement, Unpooled.copiedBuffer(afterNames), tag, true, null));
  }

  /** What the replicator notes for itself. */
  void note(Prepared statement, ByteBuf afterNames) {
    items.add(new Item(statement, afterNames, null, false, null));
  }

  /** One row. */
  void row(Prepared effect, RowWrite write, int format, List<ByteBuf> values) {
    String sql = write.effectSql();
    String tag =
        sql.endsWith("DO NOTHING")
            ? null
            : sql.startsWith("INSERT") ? "INSERT 0 1" : sql.substring(0, 6) + " 1";
    int[] formats =
        write.columns().stream().mapToInt(c -> write.texts().contains(c) ? 0 : format).toArray();
    add(new Item(effect, Rows.parameters(formats, values), tag, true, null));
  }

  /** A row that was captured, by texts. */
  void captured(Prepared effect, List<ByteBuf> values) {
    String sql = effect.sql();
    String tag = sql.startsWith("INSERT") ? "INSERT 0 1" : sql.substring(0, 6) + " 1";
    add(new Item(effect, Rows.parameters(new int[0], values), tag, true, null));
  }

  /** Forgets all. */
  void clear() {
    items.clear();
    bytes = 0;
  }

  private void add(Item item) {
    items.add(item);
    bytes += ITEM_BYTES + item.afterNames.readableBytes();
  }

  // ---- in the log ------------------------------------------------------------------------------

  /** Whether the log has all of it. */
  boolean isKeptWhole() {
    return items.stream().allMatch(Item::kept);
  }

  /** Whether the log has anything of it. */
  boolean isKept() {
    return items.stream().anyMatch(Item::kept);
  }

  /**
   * Writes it for the log.
   *
   * <pre>
   * | replica:u8 | charset | items:i32 | each: sql, tag:u8 [, text], types:i32 (-1 for a text), each:i32 [, bytes:i32, parameters] |
   * </pre>
   */
  void writeTo(ByteBuf out) {
    out.writeBoolean(replica);
    RedoCodec.text(out, charset.name());
    out.writeInt((int) items.stream().filter(Item::kept).count());
    for (Item item : items) {
      if (!item.kept) {
        continue;
      }
      RedoCodec.text(out, item.prepared.text());
      out.writeBoolean(item.tag != null);
      if (item.tag != null) {
        RedoCodec.text(out, item.tag);
      }
      if (item.afterNames == null) {
        out.writeInt(-1);
        continue;
      }
      int[] types = item.prepared.types();
      out.writeInt(types.length);
      for (int type : types) {
        out.writeInt(type);
      }
      out.writeInt(item.afterNames.readableBytes());
      out.writeBytes(item.afterNames.duplicate());
    }
  }

  /**
   * Reads what {@link #writeTo} has written.
   *
   * @param statements gives statements names by which servers know them again
   */
  static Effects read(ByteBuf in, RedoCodec.Statements statements) {
    boolean replica = in.readBoolean();
    Effects effects = new Effects(Charset.forName(RedoCodec.text(in)));
    if (replica) {
      effects.asReplica();
    }
    for (int left = in.readInt(); left > 0; left--) {
      String sql = RedoCodec.text(in);
      String tag = in.readBoolean() ? RedoCodec.text(in) : null;
      int count = in.readInt();
      if (count < 0) {
        statements.follow(tag);
        effects.text(Prepared.effect("", sql), tag);
        continue;
      }
      int[] types = new int[count];
      for (int i = 0; i < count; i++) {
        types[i] = in.readInt();
      }
      effects.same(statements.of(sql, types), in.readSlice(in.readInt()), tag);
    }
    return effects;
  }

  // ---- at a server -----------------------------------------------------------------------------

  /** Whether it may be told what differs. */
  interface Mismatch {
    void doubt(Backend backend, Difference what);

    /** Whether what is answered has been undone since. */
    default boolean isUndone() {
      return false;
    }
  }

  /** Sends all; whatever is answered that the leader did not is told. */
  void sendTo(Backend other, Mismatch mismatch) {
    setReplica(other, "replica", mismatch);
    sendItems(other, mismatch);
    setReplica(other, "origin", mismatch);
  }

  /** Sends all, of which none is a text, in one go: what follows one that fails is not run. */
  void ask(Backend at, Answer answer) {
    ByteBuf out = at.alloc().buffer();
    for (Item item : items) {
      execute(at, item, out);
    }
    at.ask(sync(at, out), answer);
  }

  /** It failed there: which of its statements the server knows now cannot be told. */
  void forget(Backend at) {
    items.forEach(item -> at.prepared().replace(item.prepared.name(), Prepared.NOT_KNOWN));
  }

  private void execute(Backend at, Item item, ByteBuf out) {
    prepare(at, item.prepared, out);
    append(out, Messages.bind(at.alloc(), "", item.prepared.name(), item.afterNames.duplicate()));
    append(out, Messages.execute(at.alloc(), ""));
  }

  private void setReplica(Backend other, String role, Mismatch mismatch) {
    if (replica) {
      ArrayDeque<Item> expected =
          new ArrayDeque<>(List.of(new Item(null, null, "SET", false, null)));
      other.ask(
          "SET LOCAL session_replication_role = " + role, new Check(other, expected, mismatch));
    }
  }

  private void sendItems(Backend other, Mismatch mismatch) {
    ByteBuf out = null;
    ArrayDeque<Item> expected = new ArrayDeque<>();
    for (Item item : items) {
      if (item.setting != null && !other.node().kind().knows(item.setting)) {
        continue;
      }
      if (item.kept) {
        other.node().effects().increment();
      }
      if (item.afterNames == null) {
        if (out != null) {
          other.ask(sync(other, out), new Check(other, expected, mismatch));
          out = null;
          expected = new ArrayDeque<>();
        }
        expected.add(item);
        other.ask(item.prepared.text(), charset, new Check(other, expected, mismatch));
        expected = new ArrayDeque<>();
        continue;
      }
      if (out == null) {
        out = other.alloc().buffer();
      }
      execute(other, item, out);
      expected.add(item);
    }
    if (out != null) {
      other.ask(sync(other, out), new Check(other, expected, mismatch));
    }
  }

  private void prepare(Backend other, Prepared prepared, ByteBuf out) {
    Prepared known = other.prepared().put(prepared.name(), prepared);
    if (known == prepared) {
      return;
    }
    if (known != null && !prepared.name().isEmpty()) {
      append(out, Messages.closeStatement(other.alloc(), prepared.name()));
    }
    append(out, parse(other, prepared, charset));
  }

  static ByteBuf parse(Backend at, Prepared prepared, Charset charset) {
    ByteBuf types = Unpooled.buffer();
    types.writeShort(prepared.types().length);
    for (int type : prepared.types()) {
      types.writeInt(type);
    }
    ByteBuf sql = Unpooled.wrappedBuffer(prepared.text().getBytes(charset));
    return Messages.parse(at.alloc(), prepared.name(), sql, types);
  }

  static void append(ByteBuf out, ByteBuf message) {
    out.writeBytes(message);
    message.release();
  }

  private static ByteBuf sync(Backend other, ByteBuf out) {
    append(out, Messages.empty(other.alloc(), 'S'));
    return out;
  }

  /** Compares what a server answers with what the leader did. */
  private final class Check implements Answer {
    private final Backend other;
    private final ArrayDeque<Item> expected;
    private final Mismatch mismatch;
    private Difference wrong;

    Check(Backend other, ArrayDeque<Item> expected, Mismatch mismatch) {
      this.other = other;
      this.expected = expected;
      this.mismatch = mismatch;
    }

    @Override
    public void take(Frame frame) {
      if (frame.type() == 'E' && wrong == null) {
        wrong = Difference.failed(ErrorFields.read(frame.body()));
      } else if (frame.type() == 'C') {
        String tag = StartupPacket.text(frame.body());
        Item item = expected.poll();
        boolean same = item != null && (item.tag == null || item.tag.equals(tag));
        if (!same && wrong == null) {
          wrong = Difference.answered(tag, item == null ? "" : item.tag);
        }
      }
      frame.release();
    }

    @Override
    public void ready(char status) {
      if (wrong == null && !expected.isEmpty()) {
        wrong = new Difference(Ejection.DIFFERS, "did not answer all");
      }
      if (wrong != null) {
        forget(other);
        mismatch.doubt(other, wrong);
      }
    }

    @Override
    public void lost() {
      // It is out.
    }

    @Override
    public boolean isUndone() {
      return mismatch.isUndone();
    }
  }
}
