package io.mgtm.common;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** What the JDK's exceptions of files mean, in words for an operator. Any thread. */
public final class FileErrors {
  private FileErrors() {}

  /** What went wrong, as a clause without the file's name. */
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
    if (cause instanceof EOFException) {
      return "it ends too early";
    }
    String said =
        cause instanceof FileSystemException fileSystem
            ? fileSystem.getReason()
            : cause.getMessage();
    if ("Is a directory".equals(said)) {
      return "it is a folder";
    }
    return said == null ? "the system does not say why" : said;
  }
}
