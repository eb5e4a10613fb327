package io.mgtm.block.link;

import io.mgtm.block.volume.Change;
import io.mgtm.block.volume.Errno;
import io.mgtm.block.volume.FenceRequest;
import io.mgtm.block.volume.Generations;
import io.mgtm.block.volume.VolumeCore;
import io.mgtm.block.volume.VolumeEffects;
import io.mgtm.block.volume.VolumeState;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Effects that succeed at once and keep nothing, for a core behind a connection under test. */
final class QuietEffects implements VolumeEffects {
  /** A range that was written. */
  record Range(long offset, long length) {}

  final List<Range> written = new ArrayList<>();
  final List<Long> grown = new ArrayList<>();
  private VolumeCore core;

  void attach(VolumeCore to) {
    core = to;
  }

  @Override
  public void writeLocal(Change change) {
    written.add(new Range(change.offset(), change.length()));
    core.localDone(change, Errno.OK);
  }

  @Override
  public void readLocal(Change change) {
    change.context(new byte[32]);
    core.localDone(change, Errno.OK);
  }

  @Override
  public long extentAt(long offset, long length) {
    return length;
  }

  @Override
  public void sendRead(int link, long seq, long offset, int length) {}

  @Override
  public Object keep(Object data) {
    return data;
  }

  @Override
  public void readDone(Object context, Object data, int errno) {}

  @Override
  public void flushLocal() {
    core.localFlushed(Errno.OK);
  }

  @Override
  public void persistBits() {
    core.bitmaps().values().stream().filter(b -> b.isStale()).forEach(b -> b.beginBatch());
    core.bitsPersisted(true);
  }

  @Override
  public void persistState(VolumeState state) {
    core.statePersisted(true);
  }

  @Override
  public void complete(Change change, int errno) {
    if (change.data() instanceof ByteBuf data) {
      data.release();
    }
  }

  @Override
  public long newGeneration() {
    return 1;
  }

  @Override
  public void makeRoom(long sizeBytes, Consumer<String> then) {
    grown.add(sizeBytes);
    then.accept("never");
  }

  @Override
  public void growBitmaps(int chunks, Consumer<String> then) {
    then.accept(null);
  }

  @Override
  public void notice(String message) {}

  @Override
  public void alarm(String message) {}

  @Override
  public void sendChange(int link, long seq, Change change) {}

  @Override
  public void sendChunk(int link, long seq, long offset, int length, Object data) {}

  @Override
  public void sendChecksumRequest(int link, long seq, long offset, int length) {}

  @Override
  public void sendFlush(int link, long seq) {}

  @Override
  public void sendGenerations(int link, long seq, Generations generations) {}

  @Override
  public void sendSyncStart(int link, long seq, int chunks, Generations generations) {}

  @Override
  public void sendSyncDone(int link, long seq, Generations generations) {}

  @Override
  public void sendHandover(int link, long seq) {}

  @Override
  public void sendOutdated(int link) {}

  @Override
  public void superseded(String reason) {}

  @Override
  public long wallClockMs() {
    return 0;
  }

  @Override
  public void sendResize(int link, long seq, long sizeBytes) {}

  @Override
  public void disconnect(int link, String reason) {}

  @Override
  public void discard(Object data) {}

  @Override
  public void fence(FenceRequest request) {}

  @Override
  public void endFence() {}
}
