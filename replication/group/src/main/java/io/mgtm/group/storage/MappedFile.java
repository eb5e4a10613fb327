package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import java.nio.ByteBuffer;

/** A file of fixed size whose content is memory. It follows its file when that is renamed. */
public interface MappedFile {

  /**
   * The content, little-endian, from 0 to capacity. What is stored here survives the death of the
   * process, and reaches the disk with {@link #force} or whenever the system likes. Use absolute
   * access or a duplicate: the buffer is shared by threads.
   */
  ByteBuffer buffer();

  /** Stores zeros. */
  void zero(int offset, int bytes);

  /**
   * Stores the bytes of a range once more, so that the next force writes them although the system
   * may believe that they are on disk already: after a failed force it does, wrongly.
   */
  void rewrite(int offset, int bytes);

  /**
   * Returns once what was stored in the range before the call is on disk.
   *
   * @throws LogException with {@link LogException.Category#IO}; what was stored since the last
   *     force is then in doubt, and a second try would not tell
   */
  void force(int offset, int bytes);
}
