package io.mgtm.query.server;

import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Rows;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads what the leader tells of rows that it has captured: statements and their values, one value
 * in a row. Belongs to a session.
 */
final class CapturedRows implements Answer {
  private final ReplicatedSession session;
  private final Effects effects;
  private final Consumer<String> then;
  private final Runnable lost;
  private final List<ByteBuf> values = new ArrayList<>();
  private Prepared effect;
  private String why;

  /**
   * Reads.
   *
   * @param effects what they are added to, until it is more than may be held
   * @param then is told why they cannot be written elsewhere, or null
   */
  CapturedRows(ReplicatedSession session, Effects effects, Consumer<String> then, Runnable lost) {
    this.session = session;
    this.effects = effects;
    this.then = then;
    this.lost = lost;
  }

  @Override
  public void take(Frame frame) {
    if (frame.type() == 'D') {
      row(Rows.values(frame.body()));
    } else if (frame.type() == 'E' && why == null) {
      why = ErrorFields.read(frame.body()).message();
    }
    frame.release();
  }

  private void row(List<ByteBuf> row) {
    boolean tooMany = effects.bytes() > session.shared().config().limits().messageBytesMax();
    if (why != null || tooMany) {
      return;
    }
    if (text(row.get(1)).equals("1")) {
      add();
    }
    if (row.get(0) != null) {
      String sql = text(row.get(0));
      if (sql.startsWith("!")) {
        why = sql.substring(1);
        return;
      }
      effect = session.planner().effect(sql);
    }
    values.add(row.get(2) == null ? null : Unpooled.copiedBuffer(row.get(2)));
  }

  private String text(ByteBuf value) {
    return value.toString(session.planner().charset());
  }

  private void add() {
    if (!values.isEmpty()) {
      effects.captured(effect, values);
      values.clear();
    }
  }

  @Override
  public void ready(char status) {
    if (why == null) {
      add();
    }
    then.accept(why);
  }

  @Override
  public void lost() {
    lost.run();
  }
}
