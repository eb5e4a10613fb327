package io.mgtm.block.nbd;

import io.mgtm.block.volume.Change;
import io.netty.buffer.ByteBuf;

/** The volume behind an NBD server. Called on the event loop that owns it. */
public interface NbdExport {
  /** The export's name; clients that ask for the empty name get it too. */
  String name();

  /** One sentence for people. */
  String description();

  /** The size in bytes. */
  long sizeBytes();

  /** Whether clients may only read. */
  boolean isReadOnly();

  /** Why no client may use the volume now, or null. */
  String unavailable();

  /** Why no further client may connect, though those that are there may go on, or null. */
  String full();

  /** Whether zeroing is faster than writing zeros. */
  boolean zeroesFast();

  /** Whether a read has completed when {@link #read} returns. */
  boolean readsAtOnce();

  /**
   * Reads {@code length} bytes into {@code target} from its writer index on, and moves that index.
   * {@link NbdRequest#completed} is called on the request when done, perhaps before this returns.
   */
  void read(long offset, int length, ByteBuf target, NbdRequest request);

  /** Whether a read that failed succeeds elsewhere if it is asked for again. */
  boolean readsElsewhere();

  /**
   * Takes a write, zeroing or flush, whose context is an {@link NbdRequest} that is told when it is
   * done.
   */
  void submit(Change change);

  /** Asks for a range to be read ahead. */
  void prefetch(long offset, long length);

  /** See {@code BackingStore.extentAt}. */
  long extentAt(long offset, long length);

  /**
   * A client connected; {@code disconnect} ends the connection when the volume is not served any
   * more.
   */
  void opened(NbdClient client);

  /** A client is gone. */
  void closed(NbdClient client);
}
