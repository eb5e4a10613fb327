package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.Difference;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Rows;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Reads what the leader tells of rows that it has captured: statements and their values, one value
 * in a row. Belongs to a session.
 */
final class CapturedRows implements Answer {
  private final ReplicatedSession session;
  private final Effects effects;
  private final BiConsumer<String, ErrorFields> then;
  private final Runnable lost;
  private final List<ByteBuf> values = new ArrayList<>();
  private Prepared effect;
  private String why;

  /** The server's own, as when it was told to cancel: what was captured has no part in it. */
  private ErrorFields error;

  /**
   * Reads.
   *
   * @param effects what they are added to, until it is more than may be held
   * @param then is told why they cannot be written elsewhere, and what else the server answered;
   *     both null when they can
   */
  CapturedRows(
      ReplicatedSession session,
      Effects effects,
      BiConsumer<String, ErrorFields> then,
      Runnable lost) {
    this.session = session;
    this.effects = effects;
    this.then = then;
    this.lost = lost;
  }

  @Override
  public void take(Frame frame) {
    if (frame.type() == 'D') {
      row(Rows.values(frame.body()));
    } else if (frame.type() == 'E') {
      failed(ErrorFields.read(frame.body()));
    }
    frame.release();
  }

  private void failed(ErrorFields by) {
    if (Difference.isOfServer(by)) {
      error = by;
    } else if (why == null) {
      why = by.message();
    }
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
    if (why == null && error == null) {
      add();
    }
    then.accept(why, error);
  }

  @Override
  public void lost() {
    lost.run();
  }
}
