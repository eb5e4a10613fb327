package io.mgtm.rdma;

/**
 * The places for work of a connection: some for sends, some for receives, so that neither can take
 * the other's. A place is free, prepared, posted, or complete. Owner thread only.
 */
final class WorkSlots {

  private final Work[] all;
  private final int[] freeSends;
  private final int[] freeReceives;
  private int sendCount;
  private int receiveCount;
  private final int[] completed;
  private int completedFirst;
  private int completedCount;

  /** The places that are not posted, in order. */
  final int[] prepared;

  int preparedCount;

  WorkSlots(int sends, int receives) {
    all = new Work[sends + receives];
    completed = new int[all.length];
    prepared = new int[all.length];
    freeSends = new int[sends];
    freeReceives = new int[receives];
    for (int i = 0; i < all.length; i++) {
      all[i] = new Work(i);
    }
    for (int i = 0; i < sends; i++) {
      freeSends[sendCount++] = i;
    }
    for (int i = 0; i < receives; i++) {
      freeReceives[receiveCount++] = sends + i;
    }
  }

  Work at(int index) {
    return all[index];
  }

  int freeSends() {
    return sendCount;
  }

  int freeReceives() {
    return receiveCount;
  }

  int inFlight() {
    return all.length - sendCount - receiveCount;
  }

  int completedCount() {
    return completedCount;
  }

  Work claim(int operation, long tag) {
    boolean receives = operation == TransferCalls.RECEIVE;
    if ((receives ? receiveCount : sendCount) == 0) {
      throw new IllegalStateException(
          receives
              ? "all " + freeReceives.length + " receives of the connection are posted"
              : "all " + freeSends.length + " sends of the connection are in flight: await some");
    }
    Work work = all[receives ? freeReceives[--receiveCount] : freeSends[--sendCount]];
    work.operation = operation;
    work.tag = tag;
    work.kind = receives ? RdmaWork.RECEIVED : RdmaWork.SENT;
    work.bytes = 0;
    work.immediate = 0;
    work.error = null;
    return work;
  }

  void prepare(Work work) {
    prepared[preparedCount++] = work.index;
  }

  void free(Work work) {
    work.releaseBuffer();
    if (work.receives()) {
      freeReceives[receiveCount++] = work.index;
    } else {
      freeSends[sendCount++] = work.index;
    }
  }

  void complete(Work work) {
    completed[(completedFirst + completedCount++) % completed.length] = work.index;
  }

  /** Takes the completed place that waits longest out of the line. */
  Work nextCompleted() {
    Work work = all[completed[completedFirst]];
    completedFirst = (completedFirst + 1) % completed.length;
    completedCount--;
    return work;
  }

  void releaseBuffers() {
    for (Work work : all) {
      work.releaseBuffer();
    }
  }
}
