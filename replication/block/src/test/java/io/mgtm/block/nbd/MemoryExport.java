package io.mgtm.block.nbd;

import io.mgtm.block.volume.Change;
import io.mgtm.block.volume.Errno;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** An export in memory; it can hold its answers back, and complete reads at once or later. */
final class MemoryExport implements NbdExport {
  final byte[] bytes;
  final ArrayDeque<Runnable> heldBack = new ArrayDeque<>();
  boolean holding;
  boolean readOnly;
  boolean atOnce = true;

  /** Whether the next read fails, and those after it are answered elsewhere, later. */
  boolean breaks;

  private boolean elsewhere;
  String unavailable;
  int failure;
  int clients;
  int flushes;
  final AtomicInteger reads = new AtomicInteger();
  boolean lastFua;
  int extentsAsked;

  /** How long each extent is; 0 for one of data and one hole. */
  int extentBytes;

  MemoryExport(int size) {
    bytes = new byte[size];
  }

  void answerAll() {
    while (!heldBack.isEmpty()) {
      heldBack.poll().run();
    }
  }

  private void answer(Runnable what) {
    if (holding) {
      heldBack.add(what);
    } else {
      what.run();
    }
  }

  @Override
  public String name() {
    return "disk";
  }

  @Override
  public String description() {
    return "a test";
  }

  @Override
  public long sizeBytes() {
    return bytes.length;
  }

  @Override
  public boolean isReadOnly() {
    return readOnly;
  }

  @Override
  public String full() {
    return null;
  }

  @Override
  public String unavailable() {
    return unavailable;
  }

  @Override
  public boolean zeroesFast() {
    return false;
  }

  @Override
  public boolean readsElsewhere() {
    return elsewhere;
  }

  @Override
  public boolean readsAtOnce() {
    return atOnce;
  }

  @Override
  public void read(long offset, int length, ByteBuf target, NbdRequest request) {
    reads.incrementAndGet();
    if (breaks) {
      breaks = false;
      elsewhere = true;
      atOnce = false;
      target.writeZero(length);
      request.completed(Errno.EIO);
      return;
    }
    target.writeBytes(bytes, (int) offset, length);
    if (atOnce) {
      request.completed(failure);
    } else {
      answer(() -> request.completed(failure));
    }
  }

  @Override
  public void submit(Change change) {
    lastFua = change.isFua();
    if (failure == Errno.OK) {
      switch (change.kind()) {
        case WRITE -> {
          ByteBuf data = (ByteBuf) change.data();
          data.getBytes(data.readerIndex(), bytes, (int) change.offset(), (int) change.length());
        }
        case ZERO ->
            Arrays.fill(
                bytes, (int) change.offset(), (int) (change.offset() + change.length()), (byte) 0);
        default -> flushes++;
      }
    }
    NbdRequest request = (NbdRequest) change.context();
    answer(() -> request.completed(failure));
  }

  @Override
  public void prefetch(long offset, long length) {}

  @Override
  public long extentAt(long offset, long length) {
    extentsAsked++;
    if (extentBytes > 0) {
      long left = Math.min(length, extentBytes - offset % extentBytes);
      return offset / extentBytes % 2 == 0 ? left : -left;
    }
    long half = bytes.length / 2;
    return offset < half ? Math.min(length, half - offset) : -length;
  }

  @Override
  public void opened(NbdClient client) {
    clients++;
  }

  @Override
  public void closed(NbdClient client) {
    clients--;
  }
}
