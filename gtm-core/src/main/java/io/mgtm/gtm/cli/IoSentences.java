package io.mgtm.gtm.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** What an I/O failure tells an operator; the JDK's messages of some are a path alone. */
final class IoSentences {
  private IoSentences() {}

  static String of(IOException e) {
    if (e instanceof FileSystemException f && f.getFile() != null) {
      return f.getFile() + ": " + reason(f);
    }
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  private static String reason(FileSystemException e) {
    if (e instanceof NoSuchFileException) {
      return "there is no such file or folder";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof FileAlreadyExistsException) {
      return "it exists already";
    }
    if (e instanceof NotDirectoryException) {
      return "it is not a folder";
    }
    if (e instanceof DirectoryNotEmptyException) {
      return "the folder is not empty";
    }
    return e.getReason() == null ? e.getClass().getSimpleName() : e.getReason();
  }
}
