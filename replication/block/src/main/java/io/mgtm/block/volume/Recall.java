package io.mgtm.block.volume;

import io.mgtm.block.intent.ChunkSet;
import io.mgtm.block.resync.ChunkWalk;
import io.mgtm.block.volume.Change.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A primary whose process ended during a flush cannot know whether that flush failed, and the
 * system dropped what it could not write. Where a synchronous replica may have everything, nothing
 * is answered and no replica is sent anything before that one has been met and every chunk whose
 * bit is set has been fetched from it, written and flushed here: bits are cleared after a good
 * flush only, so that these are all the chunks that may have lost something.
 *
 * <p>Without such a replica this copy is the best that there is, as after any failed flush.
 */
public final class Recall {
  /** How many bytes are asked for at once. */
  private static final long WINDOW_BYTES = 8L << 20;

  private record Held(ReplicaLink link, long connection, Identity peer, Runnable then) {}

  private final VolumeCore core;
  private final VolumeEffects effects;
  private final WritePath path;
  private final StateKeeper states;
  private final Set<String> candidates = new HashSet<>();
  private final List<Held> held = new ArrayList<>();
  private final Map<Long, Integer> asked = new HashMap<>();
  private boolean pending;
  private ReplicaLink from;
  private long run;
  private ChunkSet todo;
  private ChunkWalk walk;
  private long bytesUnderWay;
  private int fetched;

  Recall(VolumeCore core, VolumeEffects effects, WritePath path, StateKeeper states) {
    this.core = core;
    this.effects = effects;
    this.path = path;
    this.states = states;
  }

  /** A flush may have failed unseen before this start. Called once all links are there. */
  public void begin() {
    VolumeState state = core.state();
    if (state.role() != Role.PRIMARY) {
      return;
    }
    long current = state.generations().current();
    boolean linked =
        core.replication().links().stream().anyMatch(link -> link.config.mode() == LinkMode.SYNC);
    if (linked) {
      state
          .slots()
          .forEach(
              (peer, slot) -> {
                if (slot.sharedGeneration() == current) {
                  candidates.add(peer);
                }
              });
    }
    pending = true;
    path.freeze();
    settle();
  }

  /** Whether this side waits for what its disk may have lost. */
  public boolean isPending() {
    return pending;
  }

  /** Whether a good flush says that the disk has all that it should. */
  public boolean isTrusted() {
    return !pending && states.isIdle();
  }

  /** Whether it is being fetched. */
  public boolean isFetching() {
    return from != null;
  }

  /** The two sides agreed that {@code link} sends; {@code then} begins that. */
  void met(ReplicaLink link, Identity peer, Runnable then) {
    if (!pending) {
      then.run();
      return;
    }
    held.add(new Held(link, link.connection(), peer, then));
    if (!hasEverything(link, peer)) {
      candidates.remove(peer.nodeId());
    }
    settle();
  }

  private boolean hasEverything(ReplicaLink link, Identity peer) {
    return link.config.mode() == LinkMode.SYNC
        && peer.consistent()
        && peer.generations().current() == core.state().generations().current();
  }

  private void settle() {
    if (!pending || from != null) {
      return;
    }
    for (Held one : held) {
      if (one.link().connection() == one.connection() && hasEverything(one.link(), one.peer())) {
        fetchFrom(one.link());
        return;
      }
    }
    if (candidates.isEmpty()) {
      goOn("no synchronous replica has everything");
    }
  }

  private void fetchFrom(ReplicaLink link) {
    from = link;
    run++;
    fetched = 0;
    bytesUnderWay = 0;
    asked.clear();
    ReplicaSlot slot = core.replication().slots().get(link.peer.nodeId());
    todo = new ChunkSet(slot.outOfSync.size());
    todo.addAll(slot.outOfSync);
    walk = new ChunkWalk(todo, Integer.MAX_VALUE);
    effects.notice(
        "link "
            + link.config.name()
            + ": fetches "
            + todo.cardinality()
            + " chunks: a flush was under way when this side ended, and may have failed");
    ask();
  }

  private void ask() {
    ReplicaLink link = from;
    while (from == link && bytesUnderWay < WINDOW_BYTES) {
      int chunk = walk.peek();
      if (chunk < 0) {
        break;
      }
      walk.begin(chunk);
      int length = core.chunkLength(chunk);
      bytesUnderWay += length;
      long seq = link.nextReadSeq();
      asked.put(seq, chunk);
      effects.sendRead(link.index, seq, (long) chunk * core.state().chunkBytes(), length);
    }
    if (from == link && walk.isDone()) {
      path.submitInternal(recalled(new Change().internal(Kind.FLUSH, 0, 0)));
    }
  }

  private Change recalled(Change change) {
    change.whenDone = this::completed;
    change.session = run;
    return change;
  }

  /** The replica sent what it was asked for; answers whether {@code link} was asked by this. */
  boolean came(ReplicaLink link, long seq, Object data, int length) {
    if (link != from) {
      return false;
    }
    Integer chunk = asked.remove(seq);
    if (chunk == null || core.chunkLength(chunk) != length) {
      core.loseLink(link, "the replica sent " + length + " bytes that were not asked for");
      return true;
    }
    long offset = (long) chunk * core.state().chunkBytes();
    Change write = recalled(new Change().internal(Kind.WRITE, offset, length));
    write.data = effects.keep(data);
    path.submitInternal(write);
    return true;
  }

  /** What was fetched is written, or flushed, or that failed. */
  private void completed(Change change) {
    if (change.kind == Kind.WRITE) {
      effects.discard(change.data);
    }
    if (!pending || change.session != run || from == null) {
      return;
    }
    if (change.errno != Errno.OK) {
      core.administration().stepDown("this side's disk fails, error " + change.errno);
    } else if (change.kind == Kind.FLUSH) {
      end("fetched " + fetched + " chunks from node " + from.peer.nodeId());
    } else {
      int chunk = (int) (change.offset / core.state().chunkBytes());
      todo.remove(chunk);
      walk.end(chunk);
      bytesUnderWay -= change.length;
      fetched++;
      ask();
    }
  }

  /** A link is lost: what it was asked for is fetched from another, or when it is back. */
  void lost(ReplicaLink link) {
    held.removeIf(one -> one.link() == link);
    if (link == from) {
      from = null;
      run++;
      settle();
    }
  }

  /** Nobody waits any longer for a replica that may have more. */
  public void goOn(String why) {
    if (pending && from == null) {
      end(
          "a flush was under way when this side ended, and may have failed; "
              + why
              + ": this side goes on with what its disk has");
    }
  }

  private void end(String why) {
    effects.notice(why);
    pending = false;
    from = null;
    List<Held> waiting = List.copyOf(held);
    held.clear();
    for (Held one : waiting) {
      if (one.link().connection() == one.connection()) {
        one.then().run();
      }
    }
    path.unfreeze();
  }

  /**
   * This side is to be primary no more before it has fetched what it may lack: it is inconsistent
   * from then on.
   */
  UnaryOperator<VolumeState> abandon(UnaryOperator<VolumeState> how) {
    if (!pending) {
      return how;
    }
    pending = false;
    from = null;
    held.clear();
    path.unfreeze();
    return state -> how.apply(state).distrusted();
  }
}
