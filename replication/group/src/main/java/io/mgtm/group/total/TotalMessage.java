package io.mgtm.group.total;

import java.nio.ByteBuffer;
import java.util.List;

/** What members say to each other beside the messages of the log; the sender comes with it. */
public sealed interface TotalMessage {

  /** To the member that makes the order: proposals with consecutive numbers from {@code first}. */
  record Proposals(long incarnation, long first, List<ByteBuffer> payloads)
      implements TotalMessage {}

  /**
   * From the member that makes the order: one before what came is missing, go on with {@code next}.
   *
   * @param incarnation of the process that is meant; 0 means every process, which is to repeat all
   *     that is not settled
   */
  record Expect(long incarnation, long next) implements TotalMessage {}
}
