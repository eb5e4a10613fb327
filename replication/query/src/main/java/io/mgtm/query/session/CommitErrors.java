package io.mgtm.query.session;

import io.mgtm.query.fleet.LabelRenames;
import io.mgtm.query.wire.ErrorFields;

/** What clients are told of a commit that is not done, or not known to be. */
final class CommitErrors {
  static final ErrorFields FEWER =
      ErrorFields.error("53000", "fewer servers are in than serversMin")
          .withHint("Put servers in again, see mgtm query servers.");

  /** After why. */
  static final String UNKNOWN = ", and it is not known whether it has committed";

  static final String LAST_IS_GONE = "the last server is gone" + UNKNOWN;

  private CommitErrors() {}

  /** The log has refused it. */
  static ErrorFields refusedByLog(ReplicatedSession session, String reason) {
    if (reason.equals(LabelRenames.RENAMED)) {
      return ErrorFields.error("40001", reason).withHint("Repeat the transaction.");
    }
    if (reason.equals(LabelRenames.PREPARED)) {
      return ErrorFields.error("55006", reason)
          .withHint("COMMIT PREPARED or ROLLBACK PREPARED them first.");
    }
    return session.shared().commits().isEnded()
        ? ErrorFields.error("57P01", reason)
        : ErrorFields.error("53100", "the log of commits takes no more: " + reason)
            .withHint("Make room where the replicator has its data.");
  }
}
