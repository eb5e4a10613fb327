package io.mgtm.block.volume;

import io.mgtm.block.intent.Opening;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A primary whose own disk failed goes on through the replicas that have everything: DRBD calls it
 * diskless. Nothing is read or written here any more; a change is answered once such a replica has
 * written it, and clients read there.
 *
 * <p>This side is secondary and inconsistent on its metadata's disk before anything is answered
 * that only a replica has: after a restart it takes everything over. Replicas that lack something
 * are left behind, for nothing can be sent to them from here. When the last one that has everything
 * is lost, service ends.
 */
final class Detachment {
  /** How many bytes are asked for at once. */
  private static final long READ_WINDOW_BYTES = 32L << 20;

  private enum Phase {
    NONE,
    BEGINNING,
    ON
  }

  private record Read(long offset, int length, Object context) {}

  private final VolumeCore core;
  private final VolumeEffects effects;
  private final WritePath path;
  private final StateKeeper states;
  private final Replication replication;
  private final List<Change> held = new ArrayList<>();
  private final ArrayDeque<Read> readsWaiting = new ArrayDeque<>();
  private final Map<ReplicaLink, Map<Long, Read>> reads = new HashMap<>();
  private long bytesUnderWay;
  private Phase phase = Phase.NONE;

  Detachment(
      VolumeCore core,
      VolumeEffects effects,
      WritePath path,
      StateKeeper states,
      Replication replication) {
    this.core = core;
    this.effects = effects;
    this.path = path;
    this.states = states;
    this.replication = replication;
  }

  /** Whether this side's disk is out of use and replicas stand in for it. */
  boolean isOn() {
    return phase != Phase.NONE;
  }

  /** Whether that is written down, so that it need not be noted any more what changes. */
  boolean isWritten() {
    return phase == Phase.ON;
  }

  /** Whether the replica has all that was answered, and writes before it acknowledges. */
  private boolean standsIn(ReplicaLink link) {
    return link.config.mode() == LinkMode.SYNC && replication.heirs().hasEverything(link);
  }

  private ReplicaLink standIn() {
    for (ReplicaLink link : replication.links()) {
      if (link.phase == LinkPhase.UP_TO_DATE && link.config.mode() == LinkMode.SYNC) {
        return link;
      }
    }
    return null;
  }

  /**
   * This primary's disk failed. Answers whether a replica stands in for it: then what failed here
   * has not failed, and {@link #hold} answers it in time.
   */
  boolean begin(String why) {
    if (isOn()) {
      return true;
    }
    if (!core.administration().isAccepting()
        || states.current().role() != Role.PRIMARY
        || replication.links().stream().noneMatch(this::standsIn)) {
      return false;
    }
    phase = Phase.BEGINNING;
    effects.notice(why + "; from here on this side goes on through its replicas, without its disk");
    path.freeze();
    for (ReplicaLink link : replication.links()) {
      if (standsIn(link)) {
        link.sync.end();
        link.session++;
      } else if (link.isAttached() || link.phase == LinkPhase.MEETING) {
        replication.lose(link, "this side's disk failed: nothing can be sent from it");
      }
    }
    states.update(Detachment::withoutDisk, this::begun);
    return true;
  }

  /**
   * What was written here since the last good flush may be gone. A secondary is inconsistent until
   * it is resynchronized. A primary goes on without its disk when a replica stands in for it, and
   * steps down when one has everything only; otherwise it is the best copy that there is, and its
   * replicas are resynchronized from what is here.
   *
   * @return whether a replica stands in, so that who waits for the flush need not be told
   */
  boolean flushFailed(int errno) {
    String why = "this side's disk failed to flush, error " + errno;
    if (begin(why)) {
      return true;
    }
    if (states.current().role() == Role.SECONDARY) {
      core.receiver().close(why);
      replication.becomeInconsistent(core.receiver().sourceNode(), Opening.NONE, () -> {});
    } else if (core.administration().isAccepting() && replication.heirs().hasHeir()) {
      core.administration().stepDown(why);
    } else {
      core.loseAll(why + "; the replica is resynchronized");
    }
    return false;
  }

  /** What replicas get from here on is noted nowhere: any chunk of theirs may differ. */
  private static VolumeState withoutDisk(VolumeState state) {
    VolumeState newer = Administration.steppedDown(state);
    for (Map.Entry<String, VolumeState.Slot> slot : state.slots().entrySet()) {
      newer = newer.withSlot(slot.getKey(), slot.getValue().withFull(true));
    }
    return newer;
  }

  private void begun() {
    path.unfreeze();
    if (phase != Phase.BEGINNING) {
      return;
    }
    phase = Phase.ON;
    List<Change> waiting = List.copyOf(held);
    held.clear();
    waiting.forEach(path::release);
  }

  /**
   * The local part of a change or flush, which a replica stands in for: it counts as done once it
   * is written down that this side has it not.
   */
  void hold(Change change) {
    if (phase == Phase.ON) {
      path.release(change);
    } else {
      held.add(change);
    }
  }

  /** It cannot be written down that this side lacks what its replicas have: service ends. */
  void notWritten() {
    if (phase == Phase.BEGINNING) {
      end("this side's disk failed, and its metadata cannot be written");
    }
  }

  /** A link is lost: its reads go to another replica, or there is none and service ends. */
  void lost(ReplicaLink link) {
    Map<Long, Read> missing = reads.remove(link);
    if (missing != null) {
      for (Read read : missing.values()) {
        bytesUnderWay -= read.length();
        readsWaiting.add(read);
      }
    }
    if (!isOn()) {
      return;
    }
    if (standIn() == null) {
      end("this side has no disk, and has lost the last replica that stood in for it");
    } else {
      sendReads();
    }
  }

  private void end(String why) {
    core.administration().stepDown(why);
  }

  /** This side no longer serves: who waits for a replica is told so. */
  void clear() {
    if (!isOn()) {
      return;
    }
    phase = Phase.NONE;
    replication.slots().values().forEach(slot -> slot.outOfSync.fill());
    List<Change> waiting = List.copyOf(held);
    held.clear();
    for (Change change : waiting) {
      change.errno = Errno.EIO;
      path.release(change);
    }
    List<Read> unread = new ArrayList<>(readsWaiting);
    reads.values().forEach(some -> unread.addAll(some.values()));
    readsWaiting.clear();
    reads.clear();
    bytesUnderWay = 0;
    unread.forEach(read -> effects.readDone(read.context(), null, Errno.ESHUTDOWN));
  }

  // Reads.

  /** A client's read; answered by {@link VolumeEffects#readDone}. */
  void read(long offset, int length, Object context) {
    if (length == 0) {
      effects.readDone(context, null, Errno.OK);
      return;
    }
    readsWaiting.add(new Read(offset, length, context));
    sendReads();
  }

  private void sendReads() {
    ReplicaLink link = standIn();
    while (link != null && !readsWaiting.isEmpty()) {
      Read next = readsWaiting.peek();
      if (bytesUnderWay > 0 && bytesUnderWay + next.length() > READ_WINDOW_BYTES) {
        return;
      }
      readsWaiting.poll();
      bytesUnderWay += next.length();
      long seq = link.nextReadSeq();
      reads.computeIfAbsent(link, any -> new HashMap<>()).put(seq, next);
      effects.sendRead(link.index, seq, next.offset(), next.length());
    }
  }

  /** A replica sent what it was asked for; {@code length} bytes of {@code data}. */
  void readCame(ReplicaLink link, long seq, Object data, int length) {
    if (core.recall().came(link, seq, data, length)) {
      return;
    }
    Map<Long, Read> asked = reads.get(link);
    Read read = asked == null ? null : asked.remove(seq);
    if (read == null || read.length() != length) {
      if (read != null) {
        asked.put(seq, read);
      }
      core.loseLink(link, "the replica sent " + length + " bytes that were not asked for");
      return;
    }
    bytesUnderWay -= length;
    effects.readDone(read.context(), data, Errno.OK);
    sendReads();
  }
}
