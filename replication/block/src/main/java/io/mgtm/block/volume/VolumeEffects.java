package io.mgtm.block.volume;

import java.util.function.Consumer;

/**
 * What the core wants done. Each is called on the core's thread. Where a call's outcome comes back
 * as an event, that event may be delivered before the call returns.
 */
public interface VolumeEffects {
  /** Write or zero locally; answered by {@link VolumeCore#localDone}. */
  void writeLocal(Change change);

  /**
   * Read the change's range; answered by {@link VolumeCore#chunkRead} for {@link
   * Change.Kind#READ_CHUNK}, and without bytes for {@link Change.Kind#READ_HOLE}, and by {@link
   * VolumeCore#localDone} for {@link Change.Kind#READ_RANGE}, whose bytes the submitter takes from
   * there.
   */
  void readLocal(Change change);

  /**
   * How many bytes from {@code offset} on are alike: positive when they are data, negative when
   * they are a hole that reads as zeros; never 0, and never beyond {@code length}. What is being
   * written at the same time may be missing.
   */
  long extentAt(long offset, long length);

  /**
   * Make all that was written durable; answered by {@link VolumeCore#localFlushed}. One at a time.
   */
  void flushLocal();

  /**
   * Write the stale pages of every slot's bitmap durably; answered by {@link
   * VolumeCore#bitsPersisted}. One at a time.
   */
  void persistBits();

  /** Write the state durably; answered by {@link VolumeCore#statePersisted}. One at a time. */
  void persistState(VolumeState state);

  /**
   * Make room for a larger volume; what lies behind the present end reads as zeros, whatever was
   * there. {@code then} is told null, or why not.
   */
  void makeRoom(long sizeBytes, Consumer<String> then);

  /**
   * Make room for so many chunks in every bitmap, durably; {@code then} is told null, or why not.
   */
  void growBitmaps(int chunks, Consumer<String> then);

  /** A change is complete; the core forgets it. */
  void complete(Change change, int errno);

  /** A new random generation id, never 0. */
  long newGeneration();

  /** A line for the log: a change of role, link or consistency. */
  void notice(String message);

  /** A line for the log that says that an operator must act, or data may be lost. */
  void alarm(String message);

  /** Send a write, a zeroing or a flush. */
  void sendChange(int link, long seq, Change change);

  /**
   * Send a chunk's bytes as read, all zeros when {@code data} is null. The callee owns {@code
   * data}.
   */
  void sendChunk(int link, long seq, long offset, int length, Object data);

  /**
   * Ask for the bytes of a range, which a client wants to read; answered by {@link
   * VolumeCore#linkRead}.
   */
  void sendRead(int link, long seq, long offset, int length);

  /** Keeps what {@link VolumeCore#linkRead} was given until it is discarded. */
  Object keep(Object data);

  /**
   * A {@link VolumeCore#read} ended: {@code data} is what the target sent, which the callee copies,
   * or null when {@code errno} says why not.
   */
  void readDone(Object context, Object data, int errno);

  /** Ask for the checksum of a range. */
  void sendChecksumRequest(int link, long seq, long offset, int length);

  /** Ask that all before be made durable. */
  void sendFlush(int link, long seq);

  /** Tell the replica the history that it is to take over from here. */
  void sendGenerations(int link, long seq, Generations generations);

  /** Begin: {@code chunks} is how many chunks will be sent before the replica is consistent. */
  void sendSyncStart(int link, long seq, int chunks, Generations generations);

  /** All chunks were sent. */
  void sendSyncDone(int link, long seq, Generations generations);

  /** Tell the replica that it is the newest copy from here on. */
  void sendHandover(int link, long seq);

  /**
   * Tell the replica, before it is cut off, that it will not be the newest any more. Where it is to
   * be fenced first that is not known yet, and the cluster notes it.
   */
  void sendOutdated(int link);

  /**
   * A newer primary exists, or this side's disk failed, and it answers no more requests: its
   * clients are to be cut off.
   */
  void superseded(String reason);

  /**
   * Have the cluster note which copies are left behind, again and again until it has. Each attempt
   * is answered by {@link Fencing#attempted}. What was asked before is asked no longer.
   */
  void fence(FenceRequest request);

  /** What {@link #fence} was asked last is asked no longer. */
  void endFence();

  /** Milliseconds since 1970, for people: nothing is decided by it. */
  long wallClockMs();

  /** Tell the replica the new size. */
  void sendResize(int link, long seq, long sizeBytes);

  /** End the connection; the core has forgotten it already. */
  void disconnect(int link, String reason);

  /** Free what {@link VolumeCore#chunkRead} brought and the core did not send. */
  void discard(Object data);
}
