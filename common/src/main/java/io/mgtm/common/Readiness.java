package io.mgtm.common;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Tells systemd that a service of {@code Type=notify} serves. Any thread. */
public final class Readiness {
  private static final List<String> NOTIFY = List.of("systemd-notify", "--ready");
  private static final int WAIT_S = 10;

  private Readiness() {}

  /**
   * Says so where systemd waits for it, and does nothing elsewhere. Java has no datagram sockets of
   * Unix, so systemd's own program does it.
   *
   * @throws IOException when it cannot be said; systemd would end the service after a while
   */
  public static void tell() throws IOException, InterruptedException {
    tell(System.getenv("NOTIFY_SOCKET"), NOTIFY);
  }

  static void tell(String socket, List<String> command) throws IOException, InterruptedException {
    if (socket == null) {
      return;
    }
    Process notify = new ProcessBuilder(command).inheritIO().start();
    if (!notify.waitFor(WAIT_S, TimeUnit.SECONDS)) {
      notify.destroyForcibly();
      throw new IOException(
          "cannot tell systemd that the service is ready: %s did not end within %d s"
              .formatted(String.join(" ", command), WAIT_S));
    }
    if (notify.exitValue() != 0) {
      throw new IOException(
          "cannot tell systemd that the service is ready: %s ended with status %d; its unit needs NotifyAccess=all"
              .formatted(String.join(" ", command), notify.exitValue()));
    }
  }
}
