package io.mgtm.gtm.cli;

import io.mgtm.gtm.node.LargeState;
import org.junit.jupiter.api.Tag;

/** The same with as many sequences as the limits allow by default. */
@Tag("long")
class MillionSequencesGroupIT extends LongListsGroupIT {
  @Override
  int sequences() {
    return LargeState.SEQUENCES_MAX;
  }
}
