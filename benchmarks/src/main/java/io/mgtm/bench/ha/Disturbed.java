package io.mgtm.bench.ha;

import io.mgtm.bench.ha.HaRounds.Round;
import java.io.IOException;
import java.util.List;

/** A cluster under load that is disturbed, round after round. One thread. */
interface Disturbed extends AutoCloseable {

  /**
   * Disturbs it, waits until it serves again, and until all is as it was.
   *
   * @param bytes how much is written while replication is paused
   * @throws IOException when it does not serve again
   */
  Round round(HaFault fault, long bytes) throws IOException, InterruptedException;

  /** What a reader of the figures should know, a sentence each. */
  List<String> notes();

  @Override
  void close() throws IOException;
}
