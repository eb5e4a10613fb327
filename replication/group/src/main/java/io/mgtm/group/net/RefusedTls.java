package io.mgtm.group.net;

import io.netty.handler.ssl.NotSslRecordException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/**
 * Why a process that connects is no member yet: one of the two certificates, or that one of the two
 * ends alone has TLS. Any thread.
 */
final class RefusedTls {
  /** Who is refused tries again sooner. */
  private static final long LASTS_NANOS = TimeUnit.SECONDS.toNanos(15);

  /** How a connection with TLS begins, read as a length: a record with a handshake. */
  private static final long TLS_FROM = 0x16030000L;

  private static final long TLS_TO = 0x1603FFFFL;

  private static final String BOTH_ENDS = "set it on all members, or on none";

  /** What came to a member without TLS. */
  static final String ENCRYPTED = "it begins TLS, and group.keyStore is not set here; " + BOTH_ENDS;

  private static final String IN_CLEAR =
      "it speaks in the clear, and group.keyStore is set here; " + BOTH_ENDS;

  private static final String ALERT = "Received fatal alert";
  private static final Pattern OF_CERTIFICATES = Pattern.compile("(?i)certificate|pkix|unknown_ca");

  private record Refusal(String sentence, long atNanos) {}

  private final LongSupplier nanos;
  private volatile Refusal latest;

  /** None yet. */
  RefusedTls(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Whether a connection to a member without TLS, which begins with a length, begins TLS. */
  static boolean isTls(long length) {
    return length >= TLS_FROM && length <= TLS_TO;
  }

  /** Why a connection has ended with an error, if one end alone has TLS. */
  static Optional<String> oneSided(Throwable error) {
    if (error.getCause() instanceof NotSslRecordException
        || error instanceof NotSslRecordException) {
      return Optional.of(IN_CLEAR);
    }
    return Optional.of(ENCRYPTED).filter(sentence -> sentence.equals(error.getMessage()));
  }

  /** A connection has ended with an error, which may be of another kind. */
  void note(InetSocketAddress from, Throwable error) {
    Optional<String> oneSided = oneSided(error);
    if (oneSided.isPresent()) {
      refused(oneSided.get().replaceFirst("it", from.getAddress().getHostAddress()));
      return;
    }
    Throwable cause = error.getCause() instanceof SSLException ? error.getCause() : error;
    String said = String.valueOf(cause.getMessage());
    if (cause instanceof SSLException && OF_CERTIFICATES.matcher(said).find()) {
      String whose =
          said.startsWith(ALERT) ? "%s refuses this member's" : "this member refuses %s's";
      refused(
          (whose + " certificate (%s); docs/certificates.md has how to check them")
              .formatted(from.getAddress().getHostAddress(), said));
    }
  }

  private void refused(String sentence) {
    latest = new Refusal(sentence, nanos.getAsLong());
  }

  /** A clause about the last one of late. */
  Optional<String> latest() {
    return Optional.ofNullable(latest)
        .filter(refusal -> nanos.getAsLong() - refusal.atNanos() < LASTS_NANOS)
        .map(Refusal::sentence);
  }
}
