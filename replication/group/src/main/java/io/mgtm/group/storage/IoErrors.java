package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;

/** Turns what the operating system says into an operator's sentence with a category. */
public final class IoErrors {
  private IoErrors() {}

  /**
   * @param doing what was tried, as a verb: "write"
   */
  static LogException of(String doing, Path path, IOException cause) {
    String reason = reason(cause);
    String what = "Cannot " + doing + " " + path + ": ";
    Category category = categoryOf(cause);
    return new LogException(category, what + reason + "; " + advice(category), cause);
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

  /** What went wrong, as a clause without the file's name. Any thread. */
  public static String reason(IOException cause) {
    if (cause instanceof NoSuchFileException) {
      return "there is no such file or folder";
    }
    if (cause instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (cause instanceof FileAlreadyExistsException) {
      return "it exists already";
    }
    if (cause instanceof NotDirectoryException) {
      return "it is not a folder";
    }
    if (cause instanceof DirectoryNotEmptyException) {
      return "the folder is not empty";
    }
    if (cause instanceof CharacterCodingException) {
      return "it is not a text in UTF-8";
    }
    if (cause instanceof FileSystemException fileSystem && fileSystem.getReason() != null) {
      return fileSystem.getReason();
    }
    if ("Is a directory".equals(cause.getMessage())) {
      return "it is a folder";
    }
    String simple = cause.getClass().getSimpleName();
    return cause.getMessage() == null ? simple : simple + " " + cause.getMessage();
  }

  private static String advice(Category category) {
    return switch (category) {
      case ACCESS -> "give this user read and write access to the folder, or choose another folder";
      case NO_SPACE -> "free some space on that disk";
      default -> "check the disk and the system's log";
    };
  }
}
