package io.mgtm.flash;

import io.mgtm.flash.Slot.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What a queue was opened with, and the checks of arguments against it. After them nothing that
 * native code is given can be outside its memory.
 */
final class Targets {

  private final BaseFile[] files;
  private final BufferPool[] pools;

  /**
   * Counts itself as a user of each file until {@link #release()}.
   *
   * @throws IllegalStateException when a file is closed
   */
  Targets(List<FlashFile> files, List<BufferPool> pools) {
    List<BaseFile> entered = new ArrayList<>();
    try {
      for (FlashFile file : files) {
        BaseFile base = (BaseFile) file;
        base.acquire();
        entered.add(base);
      }
    } catch (IllegalStateException e) {
      entered.forEach(BaseFile::release);
      throw e;
    }
    this.files = entered.toArray(new BaseFile[0]);
    this.pools = pools.toArray(new BufferPool[0]);
  }

  /** Ends the use of the files. */
  void release() {
    for (BaseFile file : files) {
      file.release();
    }
  }

  int fileCount() {
    return files.length;
  }

  BaseFile file(int index) {
    return files[index];
  }

  int poolCount() {
    return pools.length;
  }

  BufferPool pool(int index) {
    return pools[index];
  }

  int indexOf(FlashFile file) {
    for (int i = 0; i < files.length; i++) {
      if (files[i] == file) {
        if (file.closed()) {
          throw new IllegalStateException(file + " is closed");
        }
        return i;
      }
    }
    Objects.requireNonNull(file, "file");
    throw new IllegalArgumentException("the queue was not opened with " + file);
  }

  static void checkWritable(FlashFile file) {
    if (!file.writable()) {
      throw new IllegalStateException(file + " was opened for reading only");
    }
  }

  static void checkRange(Operation operation, BaseFile file, long offset, long length) {
    if (length < 1 || offset < 0 || offset > Long.MAX_VALUE - length) {
      throw new IllegalArgumentException(
          operation.label + " of " + length + " bytes at offset " + offset + " is no range");
    }
    if (file.misaligned(offset) || file.misaligned(length)) {
      throw new IllegalArgumentException(
          operation.label
              + " of "
              + length
              + " bytes at offset "
              + offset
              + " is not aligned to "
              + file.alignmentBytes()
              + " as "
              + file
              + " needs");
    }
  }

  void checkMemory(BaseFile file, AlignedBuffer buffer, int start, int length) {
    if (file.misaligned(start) || file.misaligned(length)) {
      throw new IllegalArgumentException(
          length
              + " bytes at "
              + start
              + " of "
              + buffer
              + " are not aligned to "
              + file.alignmentBytes()
              + " as "
              + file
              + " needs");
    }
    poolIndexOf(buffer);
  }

  /** Which of the queue's pools a buffer is of. */
  int poolIndexOf(AlignedBuffer buffer) {
    BufferPool pool = buffer.pool();
    for (int i = 0; i < pools.length; i++) {
      if (pools[i] == pool) {
        return i;
      }
    }
    throw new IllegalArgumentException(buffer + " is of a pool that the queue was not opened with");
  }
}
