package io.mgtm.gtm.cli;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code mgtm gtm transfer}: lets another member lead. */
@Command(name = "transfer", description = "Hands the leadership of the group to another member.")
final class TransferCommand extends AdminCommand {
  private static final int LOOK_MS = 20;

  @Parameters(paramLabel = "MEMBER", description = "The member that is to lead.")
  private String member;

  @Override
  String run() throws IOException {
    askLeader("transfer", member);
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs());
    while (!status().leader().equals(member)) {
      if (System.nanoTime() - deadline > 0) {
        throw new IOException(
            "%s does not lead after %d ms; see mgtm gtm status".formatted(member, timeoutMs()));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MS));
    }
    return member + " leads";
  }
}
