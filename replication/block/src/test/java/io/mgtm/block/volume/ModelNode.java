package io.mgtm.block.volume;

import io.mgtm.block.intent.IntentBitmap;
import io.mgtm.block.resync.RateLimiter;
import io.mgtm.block.volume.Change.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
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
  final ModelDisk disk;
  final ModelFiles files;
  final List<Runnable> pending = new ArrayList<>();
  final List<Change> inFlight = new ArrayList<>();
  final List<LinkConfig> linkConfigs = new ArrayList<>();
  final List<ModelNode> linkTargets = new ArrayList<>();
  ModelConnection[] connections = new ModelConnection[0];
  VolumeCore core;
  int life;
  boolean failing;
  final ModelFlushes flushes = new ModelFlushes(this);
  final ModelBackups backups;

  ModelNode(ModelWorld world, int index, Role role) {
    this.world = world;
    this.index = index;
    this.random = world.random;
    backups = new ModelBackups(this);
    Generations first =
        role == Role.PRIMARY ? Generations.NONE.with(world.newId()) : Generations.NONE;
    disk = new ModelDisk(random, BLOCKS, ModelHistory.oldRubbish(index));
    files =
        new ModelFiles(
            world, VolumeState.fresh("model", "n" + index, BLOCKS, CHUNK_BLOCKS, role, first));
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
    backups.perhapsPutBack(files);
    Map<String, IntentBitmap> bitmaps = files.load(this);
    flushes.beforeStart();
    core = new VolumeCore(files.state, bitmaps, world.timing, this);
    linkConfigs.forEach(core::addLink);
    world.fences.started(this);
    flushes.started();
  }

  /** Somebody, or the disk, spoils what lies beside the bytes of a node that is down. */
  String spoil() {
    return random.nextInt(6) == 0 ? files.spoilState(this) : files.spoilBitmap();
  }

  /** Whether it is primary, and knows that its disk has lost nothing. */
  boolean isWholePrimary() {
    VolumeState state = core.state();
    return state.role() == Role.PRIMARY && state.consistent() && !core.recall().isPending();
  }

  /** What a client may read. */
  long[] content() {
    return disk.snapshot((int) core.state().sizeBytes());
  }

  /** The process ends at once; with the power, the cache goes too. */
  void crash(boolean power) {
    for (Change change : inFlight) {
      disk.tear(change);
    }
    inFlight.clear();
    if (power) {
      disk.losePower();
      flushes.losePower();
    }
    files.crash(power);
    world.promotions.died(this);
    core = null;
    life++;
    pending.clear();
    Arrays.fill(connections, null);
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
  void after(int turns, Runnable event) {
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
    boolean behind = world.fault == ModelFault.ACKNOWLEDGED_BEFORE_WRITTEN;
    boolean slow = behind && core.state().role() == Role.SECONDARY;
    after(
        slow ? 6 : 0,
        () -> {
          inFlight.remove(change);
          if (failing && random.nextInt(4) == 0) {
            disk.tear(change);
            core.localDone(change, Errno.EIO);
            return;
          }
          disk.write(change);
          core.localDone(change, Errno.OK);
        });
  }

  @Override
  public void readLocal(Change change) {
    long[] early = disk.read(change);
    later(
        () -> {
          long[] bytes =
              world.fault == ModelFault.RESYNC_SENDS_STALE_CHUNK
                  ? disk.staleOf(change, early)
                  : disk.read(change);
          if (change.kind() == Kind.READ_CHUNK || change.kind() == Kind.READ_HOLE) {
            boolean blind = world.fault == ModelFault.HOLE_NOT_LOOKED_AT_AGAIN;
            boolean hole = blind && change.kind() == Kind.READ_HOLE;
            boolean zero = hole || ModelDisk.isZero(bytes);
            String checksum = change.wantsChecksum() ? Arrays.toString(bytes) : null;
            core.chunkRead(change, bytes, zero, checksum, Errno.OK);
          } else {
            change.context(bytes);
            core.localDone(change, Errno.OK);
          }
        });
  }

  @Override
  public long extentAt(long offset, long length) {
    return world.fault.meetsHoles() ? disk.extentAt((int) offset, (int) length) : length;
  }

  @Override
  public void flushLocal() {
    flushes.flush();
  }

  @Override
  public void persistBits() {
    Map<String, Map<Integer, byte[]>> batch = ModelFiles.copyStale(core.bitmaps());
    if (world.fault == ModelFault.REPLY_BEFORE_BIT_IS_DURABLE) {
      later(() -> core.bitsPersisted(true));
      after(20, () -> files.write(batch));
      return;
    }
    files.beginPages(batch);
    later(() -> core.bitsPersisted(files.endPages(failing)));
  }

  @Override
  public void persistState(VolumeState newer) {
    files.beginState(newer);
    boolean early = world.fault == ModelFault.GOES_ON_BEFORE_IT_IS_WRITTEN && core.isDetached();
    later(() -> core.statePersisted(early || files.endState(failing)));
  }

  @Override
  public void makeRoom(long sizeBytes, Consumer<String> then) {
    int before = (int) core.state().sizeBytes();
    later(
        () -> {
          if (world.fault != ModelFault.GROWN_BYTES_LEFT_AS_THEY_WERE) {
            disk.zero(before, (int) sizeBytes);
          }
          then.accept(
              world.fault == ModelFault.GROWTH_FLUSHES_BY_ITSELF ? flushes.ofGrowth() : null);
        });
  }

  @Override
  public void growBitmaps(int chunks, Consumer<String> then) {
    later(
        () -> {
          files.grow(chunks);
          then.accept(null);
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

  @Override
  public void alarm(String message) {
    world.trace(() -> "n" + index + ", alarm: " + message);
  }

  // Meeting.

  boolean wantsToDial(int link) {
    return connections[link] == null && core.wantsConnection(link) && linkTargets.get(link).isUp();
  }

  boolean wantsToDial() {
    return isUp() && IntStream.range(0, connections.length).anyMatch(this::wantsToDial);
  }

  void dial(int link) {
    ModelNode target = linkTargets.get(link);
    ModelConnection connection = new ModelConnection(this, link, target);
    connections[link] = connection;
    world.connections.add(connection);
    Identity hello = world.promotions.told(core.identityFor(""));
    connection.toTarget.add(() -> connection.greet(hello));
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
    send(link, () -> receiverOf(link).read(seq, new Change().readRange(offset, length)));
  }

  @Override
  public void sendRead(int link, long seq, long offset, int length) {
    send(link, () -> receiverOf(link).read(seq, new Change().readBytes(offset, length)));
  }

  @Override
  public Object keep(Object data) {
    return data;
  }

  @Override
  public void readDone(Object context, Object data, int errno) {
    world.failingDisk.done(this, context, data, errno);
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
    if (world.fault == ModelFault.GENERATION_NOT_SPREAD) {
      sendFlush(link, seq);
      return;
    }
    send(link, () -> receiverOf(link).generations(seq, generations));
  }

  @Override
  public void sendHandover(int link, long seq) {
    send(link, () -> receiverOf(link).handover(seq));
  }

  @Override
  public void sendOutdated(int link) {
    ModelConnection connection = connections[link];
    if (connection != null && connection.open && random.nextBoolean()) {
      ModelNode target = connection.target;
      target.later(() -> target.core.receiver().cutOff(connection.receiving));
    }
  }

  @Override
  public void superseded(String reason) {
    world.trace(() -> "n" + index + " is superseded: " + reason);
  }

  @Override
  public void fence(FenceRequest request) {
    world.fences.ask(this, request);
  }

  @Override
  public void endFence() {}

  @Override
  public long wallClockMs() {
    return 1;
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
    send(link, () -> receiverOf(link).resize(seq, sizeBytes));
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
