package io.mgtm.group.net;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/** Why a process that connects is no member yet: one of the two certificates. Any thread. */
final class RefusedCertificate {
  /** Who is refused tries again sooner. */
  private static final long LASTS_NANOS = TimeUnit.SECONDS.toNanos(15);

  private static final String ALERT = "Received fatal alert";
  private static final Pattern OF_CERTIFICATES = Pattern.compile("(?i)certificate|pkix|unknown_ca");

  private record Refusal(String sentence, long atNanos) {}

  private final LongSupplier nanos;
  private volatile Refusal latest;

  /** None yet. */
  RefusedCertificate(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** A connection has ended with an error, which may be of another kind. */
  void note(InetSocketAddress from, Throwable error) {
    Throwable cause = error.getCause() instanceof SSLException ? error.getCause() : error;
    String said = String.valueOf(cause.getMessage());
    if (cause instanceof SSLException && OF_CERTIFICATES.matcher(said).find()) {
      String whose =
          said.startsWith(ALERT) ? "%s refuses this member's" : "this member refuses %s's";
      latest =
          new Refusal(
              (whose + " certificate (%s); docs/certificates.md has how to check them")
                  .formatted(from.getAddress().getHostAddress(), said),
              nanos.getAsLong());
    }
  }

  /** A clause about the last one of late. */
  Optional<String> latest() {
    return Optional.ofNullable(latest)
        .filter(refusal -> nanos.getAsLong() - refusal.atNanos() < LASTS_NANOS)
        .map(Refusal::sentence);
  }
}
