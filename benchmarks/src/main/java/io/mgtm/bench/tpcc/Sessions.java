package io.mgtm.bench.tpcc;

import java.io.IOException;

/** Opens sessions at the database that is measured. Any thread. */
@FunctionalInterface
interface Sessions {
  /**
   * Opens one.
   *
   * @throws IOException in one sentence, when the database cannot be reached or refuses
   */
  Session open() throws IOException;
}
