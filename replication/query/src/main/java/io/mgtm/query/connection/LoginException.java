package io.mgtm.query.connection;

import io.mgtm.query.wire.ErrorFields;
import java.io.IOException;
import java.util.concurrent.CompletionException;

/** A server was not entered; what to tell the client stands in the fields. */
public final class LoginException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient ErrorFields fields;

  LoginException(ErrorFields fields) {
    super(fields.message());
    this.fields = fields;
  }

  ErrorFields fields() {
    return fields;
  }

  /** What to tell a client of a failure, whatever it was. */
  public static ErrorFields fieldsOf(Throwable cause) {
    Throwable root =
        cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause;
    return root instanceof LoginException login
        ? login.fields
        : ErrorFields.fatal("08006", "internal error: " + root);
  }
}
