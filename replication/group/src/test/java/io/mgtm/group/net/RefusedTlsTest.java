package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class RefusedTlsTest {
  private static final InetSocketAddress FROM = new InetSocketAddress("10.0.0.4", 40_000);

  private final AtomicLong now = new AtomicLong();
  private final RefusedTls refused = new RefusedTls(now::get);

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

  @Test
  void tlsAtOneEndAloneIsSaid() {
    refused.note(
        FROM, new DecoderException(new NotSslRecordException("not an SSL/TLS record: 00")));
    assertThat(refused.latest())
        .hasValue(
            "10.0.0.4 speaks in the clear, and group.keyStore is set here; set it on all members, or on none");
    refused.note(FROM, new TooLongFrameException(Hello.whyNone(0x16030102)));
    assertThat(refused.latest())
        .hasValue(
            "10.0.0.4 begins TLS, and group.keyStore is not set here; set it on all members, or on none");
  }

  @Test
  void whatBeginsNoTlsIsNothing() {
    refused.note(FROM, new TooLongFrameException(Hello.whyNone(0x16040000)));
    refused.note(FROM, new TooLongFrameException(Hello.whyNone(0x1602ffff)));
    assertThat(refused.latest()).isEmpty();
  }
}
