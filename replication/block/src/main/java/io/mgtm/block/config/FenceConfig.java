package io.mgtm.block.config;

/**
 * How a cluster is told of copies that are left behind.
 *
 * @param command what {@code /bin/sh -c} runs; it ends with status 0 once that is noted. Null when
 *     the cluster reads the status and says so by {@code mgtm volume fenced}
 * @param timeoutMs after so long it is killed, and run again
 */
public record FenceConfig(String command, long timeoutMs) {
  /** How long it may run, if nothing else is said. */
  public static final long TIMEOUT_MS_DEFAULT = 10_000;

  /** Refuses values that could not work. */
  public FenceConfig {
    if (command != null && command.isBlank()) {
      throw new IllegalArgumentException("--fence-command '': give a command for /bin/sh -c");
    }
    if (timeoutMs < 100 || timeoutMs > 600_000) {
      throw new IllegalArgumentException("fence timeout " + timeoutMs + ": 100 ms to 10 minutes");
    }
  }
}
