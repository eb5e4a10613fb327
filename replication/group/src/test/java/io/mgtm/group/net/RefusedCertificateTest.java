package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class RefusedCertificateTest {
  private static final InetSocketAddress FROM = new InetSocketAddress("10.0.0.4", 40_000);

  private final AtomicLong now = new AtomicLong();
  private final RefusedCertificate refused = new RefusedCertificate(now::get);

  private void ends(String why) {
    refused.note(FROM, new DecoderException(new SSLHandshakeException(why)));
  }

  @Test
  void whoRefusesWhomIsSaidForAWhile() {
    ends("PKIX path building failed: unable to find valid certification path");
    assertThat(refused.latest().orElseThrow())
        .startsWith("this member refuses 10.0.0.4's certificate (PKIX path building failed");
    ends("Received fatal alert: certificate_unknown");
    assertThat(refused.latest().orElseThrow())
        .startsWith("10.0.0.4 refuses this member's certificate (Received fatal alert: certif");
    now.addAndGet(TimeUnit.SECONDS.toNanos(15));
    assertThat(refused.latest()).isEmpty();
  }

  @Test
  void whatIsNotOfCertificatesIsNothing() {
    ends("handshake timed out after 2000ms");
    refused.note(FROM, new IOException("certificate"));
    assertThat(refused.latest()).isEmpty();
  }
}
