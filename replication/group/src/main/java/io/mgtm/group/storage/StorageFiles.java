package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The files of one flat folder, in the steps that matter after a crash. All that the storage does
 * to a disk goes through here, so that a test can stand in for the disk.
 *
 * <p>Callable from any thread. Every method throws {@link LogException} when the system refuses;
 * its category tells a full disk and a lack of access from other errors.
 */
public interface StorageFiles {

  /** The names of all files, in no particular order. */
  List<String> list();

  /** Whether they hold a log. */
  default boolean holdLog() {
    return list().stream().anyMatch(name -> FileNames.segmentSequence(name).isPresent());
  }

  /**
   * Makes a file of {@code bytes} zeros, written and synced, so that storing into it later cannot
   * meet a full disk. Its name is not on disk before {@link #forceDirectory()}. A file that could
   * not be made in full is removed again.
   */
  MappedFile create(String name, int bytes);

  /** Opens a file that {@link #create} made. */
  MappedFile map(String name);

  /** The whole content of a file. */
  byte[] read(String name);

  /** Writes a file, new or over an old one. Neither content nor name is on disk yet. */
  void write(String name, byte[] content);

  /**
   * Some bytes of a file.
   *
   * @return fewer than {@code bytes} where the file ends
   */
  byte[] read(String name, long offset, int bytes);

  /** Adds to the end of a file, which it makes when there is none. Nothing is on disk yet. */
  void append(String name, ByteBuffer content);

  /** Returns once the content of a file is on disk. */
  void force(String name);

  /** Renames a file, over another one if there is one, in one step. */
  void rename(String from, String to);

  /** Removes a file; a file that is not there is no error. */
  void delete(String name);

  /** Returns once every name made, changed or removed before is on disk. */
  void forceDirectory();

  /** The file's place as an operator would look for it. */
  String describe(String name);
}
