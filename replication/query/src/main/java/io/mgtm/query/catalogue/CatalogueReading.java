package io.mgtm.query.catalogue;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Rows;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;

/** Reads the schema as a session's open transaction sees it. Belongs to a session. */
public final class CatalogueReading implements Answer {
  /** Leaves the transaction as it was. */
  public static final String SQL =
      "SAVEPOINT \"mgtm schema\"; SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL jit = off;"
          + " SET LOCAL statement_timeout = 0; SET LOCAL extra_float_digits = 1; "
          + String.join("; ", CatalogueSql.QUERIES)
          + "; ROLLBACK TO SAVEPOINT \"mgtm schema\"; RELEASE SAVEPOINT \"mgtm schema\"";

  /** What is told at the end. */
  public interface Done {
    /** One of both is null. */
    void read(Catalogues.Known known, ErrorFields error);
  }

  private final Catalogues catalogues;
  private final Charset charset;
  private final Done done;
  private final Runnable lost;
  private final List<List<List<String>>> answers = new ArrayList<>();
  private ErrorFields error;

  /**
   * What is to take the answers to {@link #SQL}.
   *
   * @param charset of the session's client_encoding
   * @param lost called instead when the server is out before it has answered
   */
  public CatalogueReading(Catalogues catalogues, Charset charset, Done done, Runnable lost) {
    this.catalogues = catalogues;
    this.charset = charset;
    this.done = done;
    this.lost = lost;
  }

  @Override
  public void take(Frame frame) {
    switch (frame.type()) {
      case 'T' -> answers.add(new ArrayList<>());
      case 'D' -> answers.get(answers.size() - 1).add(Rows.texts(frame.body(), charset));
      case 'E' -> error = error == null ? ErrorFields.read(frame.body()) : error;
      default -> {
        // Completions.
      }
    }
    frame.release();
  }

  @Override
  public void ready(char status) {
    done.read(error == null ? catalogues.read(answers) : null, error);
  }

  @Override
  public void lost() {
    lost.run();
  }
}
