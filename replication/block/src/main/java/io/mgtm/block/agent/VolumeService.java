package io.mgtm.block.agent;

import io.mgtm.block.config.VolumeConfig;
import io.mgtm.block.intent.IntentBitmap;
import io.mgtm.block.link.SourceConnection;
import io.mgtm.block.link.TargetConnection;
import io.mgtm.block.nbd.NbdRequest;
import io.mgtm.block.store.BackingStore;
import io.mgtm.block.volume.Change;
import io.mgtm.block.volume.FenceRequest;
import io.mgtm.block.volume.Generations;
import io.mgtm.block.volume.VolumeCore;
import io.mgtm.block.volume.VolumeEffects;
import io.mgtm.block.volume.VolumeState;
import io.netty.buffer.ByteBuf;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what the core wants. Everything but the writing of metadata runs on the owner's event
 * loop.
 */
final class VolumeService implements VolumeEffects {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeService.class);

  private final VolumeConfig config;
  private final MetadataWriter metadata;
  private final BackingStore store;
  private final SecureRandom random = new SecureRandom();
  private final List<SourceConnection> connections = new ArrayList<>();
  private VolumeCore core;
  private StoreIo io;
  private VolumeExport export;
  private FenceCommand fence;

  VolumeService(VolumeConfig config, MetadataWriter metadata, BackingStore store) {
    this.config = config;
    this.metadata = metadata;
    this.store = store;
  }

  void start(
      VolumeState state, Map<String, IntentBitmap> bitmaps, StartFlush flushed, Executor owner) {
    core = new VolumeCore(state, bitmaps, config.timing(), this);
    io = new StoreIo(store, core, flushed.mark());
    export = new VolumeExport(config, core, io, store);
    config
        .replicas()
        .forEach(
            replica -> {
              core.addLink(replica.link());
              connections.add(null);
            });
    if (config.fence() != null) {
      fence = new FenceCommand(config.fence(), owner, core.fencing()::attempted);
      core.fencing().require();
    }
    if (flushed.isSuspect()) {
      core.recall().begin();
    }
  }

  VolumeCore core() {
    return core;
  }

  /** The volume as NBD clients see it. */
  VolumeExport export() {
    return export;
  }

  String name() {
    return config.name();
  }

  long storeErrors() {
    return io.errors();
  }

  MetadataWriter metadata() {
    return metadata;
  }

  /** How this side's disk failed lately, or null. */
  String storeError() {
    return io.lastError();
  }

  /** Whether the last such failure was another one than a lack of room. */
  boolean isStoreBroken() {
    return io.isBroken();
  }

  // Connections of links.

  SourceConnection connection(int link) {
    return connections.get(link);
  }

  void connected(int link, SourceConnection connection) {
    connections.set(link, connection);
  }

  void connectionGone(int link, SourceConnection connection, String why) {
    if (connections.get(link) == connection) {
      connections.set(link, null);
      core.linkLost(link, why);
    }
  }

  // Local effects.

  @Override
  public void writeLocal(Change change) {
    io.write(change);
  }

  @Override
  public void readLocal(Change change) {
    switch (change.kind()) {
      case READ_CHUNK -> io.readChunk(change);
      case READ_HOLE -> io.readHole(change);
      case READ_BYTES -> io.readBytes(change);
      default -> io.readRange(change);
    }
  }

  @Override
  public void flushLocal() {
    io.flush();
  }

  @Override
  public long extentAt(long offset, long length) {
    return export.extentAt(offset, length);
  }

  @Override
  public void persistBits() {
    metadata.writeBits(core);
  }

  @Override
  public void persistState(VolumeState state) {
    metadata.writeState(core, state);
  }

  @Override
  public void sendRead(int link, long seq, long offset, int length) {
    on(link, connection -> connection.read(seq, offset, length));
  }

  @Override
  public Object keep(Object data) {
    return ((ByteBuf) data).retain();
  }

  @Override
  public void readDone(Object context, Object data, int errno) {
    export.remotelyRead(context, (ByteBuf) data, errno);
  }

  @Override
  public void makeRoom(long sizeBytes, Consumer<String> then) {
    store.grow(
        core.state().sizeBytes(),
        sizeBytes,
        null,
        (none, failure) -> then.accept(failure == null ? null : failure.getMessage()));
  }

  @Override
  public void growBitmaps(int chunks, Consumer<String> then) {
    metadata.grow(chunks, then);
  }

  @Override
  public void complete(Change change, int errno) {
    if (change.isFromUpstream()) {
      if (change.context() instanceof ByteBuf bytes) {
        bytes.release();
      }
      if (change.data() instanceof ByteBuf data) {
        data.release();
      }
      if (change.context() instanceof TargetConnection connection) {
        connection.recycle(change);
      }
    } else {
      ((NbdRequest) change.context()).completed(errno);
    }
  }

  @Override
  public long newGeneration() {
    long id = 0;
    while (id == 0) {
      id = random.nextLong();
    }
    return id;
  }

  @Override
  public void notice(String message) {
    LOG.info("volume {}: {}", config.name(), message);
  }

  @Override
  public void alarm(String message) {
    LOG.error("volume {}: {}", config.name(), message);
  }

  @Override
  public void discard(Object data) {
    if (data != null) {
      ((ByteBuf) data).release();
    }
  }

  // Link effects.

  private void on(int link, Consumer<SourceConnection> what) {
    SourceConnection connection = connections.get(link);
    if (connection != null) {
      what.accept(connection);
    }
  }

  @Override
  public void sendChange(int link, long seq, Change change) {
    SourceConnection connection = connections.get(link);
    if (connection != null) {
      connection.change(seq, change);
    }
  }

  @Override
  public void sendChunk(int link, long seq, long offset, int length, Object data) {
    SourceConnection connection = connections.get(link);
    if (connection == null) {
      discard(data);
    } else {
      connection.chunk(seq, offset, length, (ByteBuf) data);
    }
  }

  @Override
  public void sendChecksumRequest(int link, long seq, long offset, int length) {
    on(link, connection -> connection.checksumRequest(seq, offset, length));
  }

  @Override
  public void sendFlush(int link, long seq) {
    on(link, connection -> connection.flush(seq));
  }

  @Override
  public void sendGenerations(int link, long seq, Generations generations) {
    on(link, connection -> connection.generations(seq, generations));
  }

  @Override
  public void sendSyncStart(int link, long seq, int chunks, Generations generations) {
    on(link, connection -> connection.syncStart(seq, chunks, generations));
  }

  @Override
  public void sendSyncDone(int link, long seq, Generations generations) {
    on(link, connection -> connection.syncDone(seq, generations));
  }

  @Override
  public void sendHandover(int link, long seq) {
    on(link, connection -> connection.handover(seq));
  }

  @Override
  public void sendOutdated(int link) {
    on(link, connection -> connection.outdated());
  }

  @Override
  public void superseded(String reason) {
    export.disconnectClients();
    export.setReady();
  }

  @Override
  public void fence(FenceRequest request) {
    fence.ask(core.state(), request);
  }

  @Override
  public void endFence() {
    fence.end();
  }

  /** Nothing is asked of a cluster any more. */
  void close() {
    if (fence != null) {
      fence.close();
    }
  }

  @Override
  public long wallClockMs() {
    return System.currentTimeMillis();
  }

  @Override
  public void sendResize(int link, long seq, long sizeBytes) {
    on(link, connection -> connection.resize(seq, sizeBytes));
  }

  @Override
  public void disconnect(int link, String reason) {
    SourceConnection connection = connections.get(link);
    connections.set(link, null);
    if (connection != null) {
      connection.disconnect(reason);
    }
  }
}
