package io.mgtm.block.volume;

import io.mgtm.block.intent.IntentBitmap;
import io.mgtm.block.resync.RateLimiter;
import io.mgtm.block.volume.Change.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PrimitiveIterator;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * One side of the model: a core, its disk with a cache that a power loss forgets, the files beside
 * it, and the outcomes that are yet to come. A "byte" of the model is a block that holds the id of
 * the write that wrote it.
 */
final class ModelNode implements VolumeEffects {
  static final int BLOCKS = 24;
  static final int CHUNK_BLOCKS = 3;

  final int index;
  final ModelWorld world;
  final Random random;
  final long[] cache = new long[BLOCKS];
  final long[] stable = new long[BLOCKS];
  final Map<String, boolean[]> bitFiles = new HashMap<>();
  final List<Runnable> pending = new ArrayList<>();
  final List<Change> inFlight = new ArrayList<>();
  final List<LinkConfig> linkConfigs = new ArrayList<>();
  final List<ModelNode> linkTargets = new ArrayList<>();
  ModelConnection[] connections = new ModelConnection[0];
  VolumeState state;
  VolumeCore core;
  int life;
  boolean failing;
  private long flushEpoch;

  ModelNode(ModelWorld world, int index, Role role) {
    this.world = world;
    this.index = index;
    this.random = world.random;
    Generations first =
        role == Role.PRIMARY ? Generations.NONE.with(world.newId()) : Generations.NONE;
    state = VolumeState.fresh("model", "n" + index, BLOCKS, CHUNK_BLOCKS, role, first);
  }

  boolean isUp() {
    return core != null;
  }

  void linkTo(ModelNode target, LinkMode mode, boolean checksums, boolean small) {
    linkTargets.add(target);
    linkConfigs.add(
        new LinkConfig(
            "n" + index + "-n" + target.index,
            mode,
            small ? 6 : 1000,
            small ? 2 : 500,
            small && mode == LinkMode.ASYNC && world.random.nextBoolean(),
            checksums,
            9,
            1_000_000,
            RateLimiter.UNLIMITED));
    connections = new ModelConnection[linkTargets.size()];
  }

  void start() {
    Map<String, IntentBitmap> bitmaps = new HashMap<>();
    for (String peer : state.slots().keySet()) {
      IntentBitmap bitmap = new IntentBitmap(state.chunks());
      boolean[] file = bitFiles.get(peer);
      for (int chunk = 0; file != null && chunk < file.length; chunk++) {
        if (file[chunk]) {
          bitmap.load(chunk);
        }
      }
      bitmaps.put(peer, bitmap);
    }
    core = new VolumeCore(state, bitmaps, world.timing, this);
    linkConfigs.forEach(core::addLink);
  }

  /** The process ends at once; with the power, the cache goes too. */
  void crash(boolean power) {
    for (Change change : inFlight) {
      tear(change);
    }
    inFlight.clear();
    if (power) {
      for (int block = 0; block < BLOCKS; block++) {
        if (random.nextBoolean()) {
          cache[block] = stable[block];
        } else {
          stable[block] = cache[block];
        }
      }
    }
    core = null;
    life++;
    pending.clear();
    Arrays.fill(connections, null);
  }

  private void tear(Change change) {
    for (int i = 0; i < change.length(); i++) {
      if (change.changesBytes() && random.nextBoolean()) {
        cache[(int) change.offset() + i] = value(change, i);
      }
    }
  }

  private static long value(Change change, int block) {
    return change.data() instanceof long[] ? ((long[]) change.data())[block] : (Long) change.data();
  }

  void later(Runnable event) {
    int now = life;
    pending.add(
        () -> {
          if (life == now) {
            event.run();
          }
        });
  }

  /** Like {@link #later}, after so many other turns of this node. */
  private void after(int turns, Runnable event) {
    later(turns == 0 ? event : () -> after(turns - 1, event));
  }

  /** One of the outcomes that are due comes. */
  void step() {
    pending.remove(random.nextInt(pending.size())).run();
  }

  // Local effects.

  @Override
  public void writeLocal(Change change) {
    inFlight.add(change);
    boolean slow =
        world.fault == ModelFault.ACKNOWLEDGED_BEFORE_WRITTEN
            && core.state().role() == Role.SECONDARY;
    after(
        slow ? 6 : 0,
        () -> {
          inFlight.remove(change);
          if (failing && random.nextInt(4) == 0) {
            tear(change);
            core.localDone(change, Errno.EIO);
            return;
          }
          for (int i = 0; i < change.length(); i++) {
            cache[(int) change.offset() + i] = value(change, i);
          }
          core.localDone(change, Errno.OK);
        });
  }

  @Override
  public void readLocal(Change change) {
    long[] early = read(change);
    later(
        () -> {
          long[] bytes =
              world.fault == ModelFault.RESYNC_SENDS_STALE_CHUNK
                  ? staleOf(change, early)
                  : read(change);
          if (change.kind() == Kind.READ_CHUNK) {
            boolean zero = Arrays.stream(bytes).allMatch(b -> b == 0);
            core.chunkRead(
                change,
                bytes,
                zero,
                change.wantsChecksum() ? Arrays.toString(bytes) : null,
                Errno.OK);
          } else {
            change.context(bytes);
            core.localDone(change, Errno.OK);
          }
        });
  }

  private long[] staleOf(Change change, long[] early) {
    return change.kind() == Kind.READ_CHUNK
        ? Arrays.copyOfRange(
            stable, (int) change.offset(), (int) (change.offset() + change.length()))
        : early;
  }

  private long[] read(Change change) {
    return Arrays.copyOfRange(
        cache, (int) change.offset(), (int) (change.offset() + change.length()));
  }

  @Override
  public void flushLocal() {
    long[] snapshot = cache.clone();
    long epoch = ++flushEpoch;
    boolean skipped =
        world.fault == ModelFault.FLUSH_NOT_FORWARDED && core.state().role() == Role.SECONDARY;
    boolean slow =
        (world.fault == ModelFault.BIT_CLEARED_BEFORE_TARGET_IS_DURABLE
                || world.fault == ModelFault.ACKNOWLEDGED_IN_BACKLOG
                || world.fault == ModelFault.FOLLOWERS_DO_NOT_WAIT_FOR_FLUSH)
            && core.state().role() == Role.SECONDARY;
    after(
        slow ? 12 : 0,
        () -> {
          if (failing && random.nextInt(6) == 0) {
            core.localFlushed(Errno.EIO);
            return;
          }
          if (!skipped && epoch == flushEpoch) {
            System.arraycopy(snapshot, 0, stable, 0, BLOCKS);
          }
          core.localFlushed(Errno.OK);
        });
  }

  @Override
  public void persistBits() {
    Map<String, boolean[]> batch = new LinkedHashMap<>();
    core.bitmaps()
        .forEach(
            (peer, bitmap) -> {
              if (bitmap.isStale()) {
                bitmap.beginBatch();
                byte[] page = new byte[IntentBitmap.PAGE_BYTES];
                bitmap.copyPage(0, page);
                boolean[] bits = new boolean[state.chunks()];
                for (int chunk = 0; chunk < bits.length; chunk++) {
                  bits[chunk] = (page[chunk / 8] & (1 << (chunk % 8))) != 0;
                }
                batch.put(peer, bits);
              }
            });
    boolean early = world.fault == ModelFault.REPLY_BEFORE_BIT_IS_DURABLE;
    later(
        () -> {
          if (failing && random.nextInt(4) == 0) {
            core.bitsPersisted(false);
          } else {
            if (!early) {
              bitFiles.putAll(batch);
            }
            core.bitsPersisted(true);
          }
        });
    if (early) {
      after(20, () -> bitFiles.putAll(batch));
    }
  }

  @Override
  public void persistState(VolumeState newer) {
    later(
        () -> {
          boolean failed = failing && random.nextInt(4) == 0;
          if (!failed) {
            state = newer;
          }
          core.statePersisted(!failed);
        });
  }

  @Override
  public void complete(Change change, int errno) {
    if (!change.isFromUpstream()) {
      world.completed(this, change, errno);
    }
  }

  @Override
  public long newGeneration() {
    if (world.fault == ModelFault.GENERATION_NOT_RENEWED && !core.state().generations().isEmpty()) {
      return core.state().generations().current();
    }
    return world.newId();
  }

  @Override
  public void notice(String message) {
    world.trace(() -> "n" + index + ": " + message);
  }

  // Meeting.

  void dial(int link) {
    ModelNode target = linkTargets.get(link);
    ModelConnection connection = new ModelConnection(this, link, target);
    connections[link] = connection;
    world.connections.add(connection);
    Identity hello = core.state().identityFor("");
    connection.toTarget.add(() -> target.greeted(connection, hello));
  }

  private void greeted(ModelConnection connection, Identity hello) {
    connection.receiving = new ModelReceiving(this, connection);
    Meeting.Decision decision = core.receiver().meet(hello, connection.receiving);
    Identity self = core.state().identityFor(hello.nodeId());
    int[] chunks =
        world.fault == ModelFault.PEER_BITMAP_IGNORED
            ? new int[0]
            : iterate(core.view().changedSince(hello.nodeId()));
    if (!decision.accepted()) {
      connection.receiving = null;
    }
    connection.toSource.add(
        () -> {
          if (decision.accepted()) {
            if (!connection
                .source
                .core
                .linkMet(connection.link, self, IntStream.of(chunks).iterator())
                .accepted()) {
              connection.source.connections[connection.link] = null;
              connection.cut("not accepted");
            }
          } else {
            connection.source.core.linkRefused(
                connection.link, decision.outcome(), decision.reason());
            connection.source.connections[connection.link] = null;
            connection.cut("refused");
          }
        });
  }

  private static int[] iterate(PrimitiveIterator.OfInt chunks) {
    IntStream.Builder all = IntStream.builder();
    chunks.forEachRemaining((int chunk) -> all.add(chunk));
    return all.build().toArray();
  }

  // Link effects.

  private void send(int link, Runnable message) {
    ModelConnection connection = connections[link];
    if (connection != null && connection.open) {
      connection.toTarget.add(message);
    }
  }

  private Receiver receiverOf(int link) {
    return linkTargets.get(link).core.receiver();
  }

  @Override
  public void sendChange(int link, long seq, Change change) {
    boolean dropped =
        world.fault == ModelFault.RESYNC_MISSES_WRITE
            && core.view().link(link).phase() == LinkPhase.SYNCING;
    Change copy = new Change();
    if (dropped) {
      copy.flush();
    } else if (change.kind() == Kind.WRITE) {
      copy.write(change.offset(), (int) change.length(), change.isFua(), change.data());
    } else {
      copy.zero(change.offset(), change.length(), change.isFua(), change.mayUnmap());
      copy.data = change.data();
    }
    send(link, () -> receiverOf(link).change(seq, copy.ordered(isOrdered())));
  }

  @Override
  public void sendChunk(int link, long seq, long offset, int length, Object data) {
    long[] values = data == null ? new long[length] : (long[]) data;
    send(link, () -> linkTargets.get(link).chunkCame(seq, offset, values));
  }

  /** A chunk holds many values: the model writes it as one change that carries them all. */
  private void chunkCame(long seq, long offset, long[] values) {
    core.receiver().change(seq, new Change().write(offset, values.length, false, values));
  }

  @Override
  public void sendChecksumRequest(int link, long seq, long offset, int length) {
    send(link, () -> receiverOf(link).checksum(seq, new Change().readRange(offset, length)));
  }

  @Override
  public void sendFlush(int link, long seq) {
    send(link, () -> receiverOf(link).change(seq, new Change().flush().ordered(isOrdered())));
  }

  /** Only in sync mode does the source itself wait for the target's stable storage. */
  private boolean isOrdered() {
    return world.mode != LinkMode.SYNC && world.fault != ModelFault.FOLLOWERS_DO_NOT_WAIT_FOR_FLUSH;
  }

  @Override
  public void sendGenerations(int link, long seq, Generations generations) {
    send(link, () -> receiverOf(link).generations(seq, generations));
  }

  @Override
  public void sendSyncStart(int link, long seq, int chunks, Generations generations) {
    send(link, () -> receiverOf(link).syncStart(seq, chunks, generations));
  }

  @Override
  public void sendSyncDone(int link, long seq, Generations generations) {
    send(link, () -> receiverOf(link).syncDone(seq, generations));
  }

  @Override
  public void sendResize(int link, long seq, long sizeBytes) {
    throw new UnsupportedOperationException("the model's volumes keep their size");
  }

  @Override
  public void disconnect(int link, String reason) {
    ModelConnection connection = connections[link];
    connections[link] = null;
    if (connection != null) {
      connection.cut(reason);
    }
  }

  @Override
  public void discard(Object data) {}
}
