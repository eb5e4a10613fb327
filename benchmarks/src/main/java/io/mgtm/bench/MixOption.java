package io.mgtm.bench;

import io.mgtm.bench.load.Mix;
import picocli.CommandLine.Option;

/** What the clients of a benchmark ask. */
final class MixOption {
  @Option(
      names = "--mix",
      paramLabel = "MIX",
      defaultValue = "txn",
      description = {
        "txn: begin with gxid, snapshot, commit;",
        "statements: begin with gxid, five snapshots, commit;",
        "begin: begin with gxid, rollback;",
        "seq: next values of sequences. Default: ${DEFAULT-VALUE}."
      })
  private Mix mix;

  Mix value() {
    return mix;
  }
}
