package io.mgtm.rdma;

/** Told of work that is complete; see {@link RdmaConnection#await}. */
@FunctionalInterface
public interface RdmaCompletion {

  /**
   * One piece of work is complete. Runs on the connection's thread, inside {@link
   * RdmaConnection#await} or {@link RdmaConnection#poll}; it may prepare further work, but not
   * wait.
   *
   * @param tag what the work was given
   * @param work what it is; for failed work only whether it was a send or a receive
   * @param bytes how many bytes arrived; 0 for sends
   * @param immediate the number that came with it, or 0
   * @param error {@code null}, or why it failed
   */
  void completed(long tag, RdmaWork work, int bytes, int immediate, RdmaException error);
}
