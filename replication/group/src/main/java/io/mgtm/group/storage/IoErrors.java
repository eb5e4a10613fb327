package io.mgtm.group.storage;

import io.mgtm.common.FileErrors;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.Locale;

/** Turns what the operating system says into an operator's sentence with a category. */
final class IoErrors {
  private IoErrors() {}

  /**
   * @param doing what was tried, as a verb: "write"
   */
  static LogException of(String doing, Path path, IOException cause) {
    String reason = FileErrors.reason(cause);
    String what = "Cannot " + doing + " " + path + ": ";
    Category category = categoryOf(cause);
    return new LogException(category, what + reason + "; " + advice(category), cause);
  }

  /** Of a page of a mapped file that could not be read or stored. */
  static LogException mapped(String place, InternalError cause) {
    return new LogException(
        Category.IO,
        "The disk failed under the mapped file %s; check the disk and the system's log"
            .formatted(place),
        cause);
  }

  static Category categoryOf(IOException cause) {
    if (cause instanceof AccessDeniedException) {
      return Category.ACCESS;
    }
    String text = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
    if (text.contains("read-only file system")
        || text.contains("permission denied")
        || text.contains("operation not permitted")
        || text.contains("not a directory")) {
      return Category.ACCESS;
    }
    if (text.contains("no space left") || text.contains("quota exceeded")) {
      return Category.NO_SPACE;
    }
    return Category.IO;
  }

  private static String advice(Category category) {
    return switch (category) {
      case ACCESS -> "give this user read and write access to the folder, or choose another folder";
      case NO_SPACE -> "free some space on that disk";
      default -> "check the disk and the system's log";
    };
  }
}
