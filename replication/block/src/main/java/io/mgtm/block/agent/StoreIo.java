package io.mgtm.block.agent;

import io.mgtm.block.nbd.NbdRequest;
import io.mgtm.block.store.BackingStore;
import io.mgtm.block.store.StoreException;
import io.mgtm.block.volume.Change;
import io.mgtm.block.volume.Errno;
import io.mgtm.block.volume.VolumeCore;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The core's local reads and writes, carried out by the backing store. On the owner's event loop.
 */
final class StoreIo {
  private static final Logger LOG = LoggerFactory.getLogger(StoreIo.class);
  private static final long ERROR_LOG_INTERVAL_NS = 1_000_000_000L;

  /** For how long an error is shown that has not come again. */
  private static final long ERROR_SHOWN_NS = 60_000_000_000L;

  private final BackingStore store;
  private final VolumeCore core;
  private final FlushMark mark;
  private final ByteBuffer zeros;
  private final MessageDigest digest;
  private final BackingStore.Completion changeDone = this::changeDone;
  private final BackingStore.Completion chunkDone = this::chunkDone;
  private final BackingStore.Completion rangeDone = this::rangeDone;
  private final BackingStore.Completion bytesDone = this::bytesDone;
  private final BackingStore.Completion readDone = this::readDone;
  private final BackingStore.Completion flushDone = this::flushDone;
  private long lastErrorNs = System.nanoTime() - ERROR_LOG_INTERVAL_NS;
  private long errors;
  private String lastError;
  private int lastErrno;
  private long lastErrorAtNs;

  StoreIo(BackingStore store, VolumeCore core, FlushMark mark) {
    this.store = store;
    this.core = core;
    this.mark = mark;
    this.zeros = ByteBuffer.allocateDirect(core.state().chunkBytes());
    try {
      this.digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  long errors() {
    return errors;
  }

  /** The last error, or null when there was none for a minute. */
  String lastError() {
    return lastError != null && System.nanoTime() - lastErrorAtNs < ERROR_SHOWN_NS
        ? lastError
        : null;
  }

  /** Whether the last error, if it was lately, was another one than a lack of room. */
  boolean isBroken() {
    return lastError() != null && lastErrno != Errno.ENOSPC;
  }

  private int errno(StoreException failure) {
    if (failure == null) {
      return Errno.OK;
    }
    errors++;
    long now = System.nanoTime();
    lastError = failure.getMessage();
    lastErrno = failure.errno();
    lastErrorAtNs = now;
    if (now - lastErrorNs >= ERROR_LOG_INTERVAL_NS) {
      lastErrorNs = now;
      LOG.error(
          "volume {}: {} ({} errors so far)", core.state().name(), failure.getMessage(), errors);
    }
    return failure.errno();
  }

  void write(Change change) {
    if (change.kind() == Change.Kind.ZERO) {
      store.zero(change.offset(), change.length(), change.mayUnmap(), change, changeDone);
    } else {
      ByteBuf data = (ByteBuf) change.data();
      store.write(
          change.offset(), nio(data, data.readerIndex(), data.readableBytes()), change, changeDone);
    }
  }

  /** A view of part of a buffer; a store that completes at once may share the buffer's own. */
  private ByteBuffer nio(ByteBuf buffer, int index, int length) {
    return store.completesAtOnce()
        ? buffer.internalNioBuffer(index, length)
        : buffer.nioBuffer(index, length);
  }

  private void changeDone(Object change, StoreException failure) {
    core.localDone((Change) change, errno(failure));
  }

  void readChunk(Change read) {
    read(read, chunkDone);
  }

  void readHole(Change read) {
    boolean hole = -store.extentAt(read.offset(), read.length()) == read.length();
    core.chunkRead(read, null, hole, null, Errno.OK);
  }

  void readRange(Change read) {
    read(read, rangeDone);
  }

  void readBytes(Change read) {
    read(read, bytesDone);
  }

  private void read(Change read, BackingStore.Completion completion) {
    int length = (int) read.length();
    ByteBuf buffer = ByteBufAllocator.DEFAULT.directBuffer(length, length).writerIndex(length);
    read.context(buffer);
    store.read(read.offset(), buffer.nioBuffer(0, length), read, completion);
  }

  private void chunkDone(Object context, StoreException failure) {
    Change read = (Change) context;
    ByteBuf buffer = (ByteBuf) read.context();
    if (failure != null) {
      buffer.release();
      core.chunkRead(read, null, false, null, errno(failure));
      return;
    }
    boolean zero = isZero(buffer);
    ByteBuffer checksum = read.wantsChecksum() ? ByteBuffer.wrap(checksum(buffer)) : null;
    core.chunkRead(read, buffer, zero, checksum, Errno.OK);
  }

  private void rangeDone(Object context, StoreException failure) {
    Change read = (Change) context;
    ByteBuf buffer = (ByteBuf) read.context();
    read.context(failure == null ? checksum(buffer) : null);
    buffer.release();
    core.localDone(read, errno(failure));
  }

  private void bytesDone(Object context, StoreException failure) {
    // The bytes are released when the read is complete.
    core.localDone((Change) context, errno(failure));
  }

  private boolean isZero(ByteBuf buffer) {
    ByteBuffer bytes = buffer.nioBuffer();
    return bytes.mismatch(zeros.duplicate().limit(bytes.remaining())) < 0;
  }

  private byte[] checksum(ByteBuf buffer) {
    digest.update(buffer.nioBuffer());
    return digest.digest();
  }

  /** A client's read. */
  void read(long offset, int length, ByteBuf target, NbdRequest request) {
    int index = target.writerIndex();
    ByteBuffer bytes = nio(target, index, length);
    target.writerIndex(index + length);
    store.read(offset, bytes, request, readDone);
  }

  private void readDone(Object request, StoreException failure) {
    int errno = errno(failure);
    if (errno != Errno.OK) {
      core.localReadFailed(errno);
    }
    ((NbdRequest) request).completed(errno);
  }

  void flush() {
    mark.set();
    store.flush(null, flushDone);
  }

  private void flushDone(Object none, StoreException failure) {
    if (failure == null && core.recall().isTrusted()) {
      mark.clear();
    }
    core.localFlushed(errno(failure));
  }
}
