package io.mgtm.bench.report;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A part that does what a test wants. */
record TestPart(String id, int secondsMax, Optional<String> missing, Measured found, Work work)
    implements Part {
  /** What it does when it is measured. */
  interface Work {
    void run() throws IOException, InterruptedException;
  }

  static TestPart of(String id, Work work) {
    return new TestPart(id, 600, Optional.empty(), Measured.NOTHING, work);
  }

  @Override
  public String title() {
    return "Part " + id;
  }

  @Override
  public List<Citation> citations() {
    return List.of(new Citation("of <" + id + ">", "0.33", "a & b"));
  }

  @Override
  public void measure() throws IOException, InterruptedException {
    work.run();
  }
}
