package io.mgtm.query.connection;

import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Rows;
import io.mgtm.query.wire.StartupPacket;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** Takes what a server answers to one request, on the session's loop. */
public interface Answer {
  /** One frame of it, to be released or passed on. */
  void take(Frame frame);

  /** It is whole; I, T or E as in ReadyForQuery. */
  void ready(char status);

  /** The server is out, and the rest of it will not come. */
  void lost();

  /** Whether what is answered has been undone since, so that nothing is to come of it. */
  default boolean isUndone() {
    return false;
  }

  /** An answer of which only the end is told. */
  interface End {
    /**
     * It has ended.
     *
     * @param tag of the last CommandComplete, or null
     * @param error the first, or null
     */
    void done(String tag, ErrorFields error, char status);
  }

  /**
   * Reads a query's one row, empty when there was none, and the error, null when there was none.
   */
  static Answer row(BiConsumer<List<String>, ErrorFields> end, Runnable lost) {
    return rows(
        StandardCharsets.UTF_8,
        (rows, error) -> end.accept(rows.isEmpty() ? List.of() : rows.get(0), error),
        lost);
  }

  /** Reads the rows of all queries of a text, and the error, null when there was none. */
  static Answer rows(
      Charset charset, BiConsumer<List<List<String>>, ErrorFields> end, Runnable lost) {
    List<List<String>> rows = new ArrayList<>();
    Answer rest = of((tag, error, status) -> end.accept(rows, error), lost);
    return new Answer() {
      @Override
      public void take(Frame frame) {
        if (frame.type() == 'D') {
          rows.add(Rows.texts(frame.body(), charset));
        }
        rest.take(frame);
      }

      @Override
      public void ready(char status) {
        rest.ready(status);
      }

      @Override
      public void lost() {
        rest.lost();
      }
    };
  }

  /** Reads the tag and the error, and nothing else; a lost one is told to {@code lost}. */
  static Answer of(End end, Runnable lost) {
    return new Answer() {
      private String tag;
      private ErrorFields error;

      @Override
      public void take(Frame frame) {
        if (frame.type() == 'C') {
          tag = StartupPacket.text(frame.body());
        } else if (frame.type() == 'E' && error == null) {
          error = ErrorFields.read(frame.body());
        }
        frame.release();
      }

      @Override
      public void ready(char status) {
        end.done(tag, error, status);
      }

      @Override
      public void lost() {
        lost.run();
      }
    };
  }
}
