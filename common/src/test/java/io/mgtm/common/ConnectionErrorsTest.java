package io.mgtm.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class ConnectionErrorsTest {
  @Test
  void aFailureIsToldInTheSystemsWords() {
    for (String text :
        List.of(
            "writevAddresses(..) failed: Broken pipe",
            "sendAddress(..) failed with error(-32): Broken pipe",
            "Broken pipe: /10.0.0.1:7800",
            "Broken pipe: db1/[fe80::1%2]:7800",
            "Broken pipe")) {
      assertThat(ConnectionErrors.reason(new IOException(text))).isEqualTo("Broken pipe");
    }
    assertThat(ConnectionErrors.reason(new IOException("no such file: /dead/beef")))
        .isEqualTo("no such file: /dead/beef");
  }

  @Test
  void whatTheClientOfHttpSaysIsTold() {
    Exception refused = new ConnectException();
    refused.initCause(new ClosedChannelException());
    assertThat(ConnectionErrors.reason(refused)).isEqualTo("Connection refused");
    assertThat(ConnectionErrors.reason(new ConnectException("Connection refused: /10.0.0.1:80")))
        .isEqualTo("Connection refused");
    Exception garbage = new IOException("parsing HTTP/1.1 status line, receiving [SSH-2.0]");
    garbage.initCause(new EOFException("EOF reached while reading"));
    assertThat(ConnectionErrors.reason(garbage)).isEqualTo("it speaks no HTTP");
  }

  private static String handshake(Exception cause) {
    Exception failed = new SSLHandshakeException("PKIX path validation failed");
    failed.initCause(cause);
    return ConnectionErrors.reason(new DecoderException(failed));
  }

  @Test
  void whatTheOtherEndSaysOfTlsIsTold() {
    for (String alert :
        List.of("bad_certificate", "certificate_required", "unknown_ca", "certificate_unknown")) {
      SSLHandshakeException told =
          new SSLHandshakeException("(%1$s) Received fatal alert: %1$s".formatted(alert));
      assertThat(ConnectionErrors.reason(new DecoderException(told), "tls."))
          .startsWith("it does not accept this end's certificate, or wants one")
          .contains("tls.certificate");
    }
    assertThat(
            ConnectionErrors.reason(
                new SSLHandshakeException("Received fatal alert: protocol_version"), "tls."))
        .startsWith("it speaks another version of TLS");
    assertThat(ConnectionErrors.reason(new SSLException("Unsupported or unrecognized SSL message")))
        .startsWith("it speaks in the clear");
    Exception ended = new SSLHandshakeException("Remote host terminated the handshake");
    ended.initCause(new EOFException("SSL peer shut down incorrectly"));
    assertThat(ConnectionErrors.reason(ended)).startsWith("it closed the connection");
    assertThat(ConnectionErrors.reason(new ClosedChannelException()))
        .isEqualTo("it closed the connection");
  }

  @Test
  void theSettingsOfTlsAreNamed() {
    Exception failed = new SSLHandshakeException("PKIX path building failed");
    failed.initCause(new CertPathBuilderException("unable to find valid path"));
    assertThat(ConnectionErrors.reason(failed, "--"))
        .isEqualTo("its certificate is not trusted; name it, or who signed it, in --trust");
    Exception chain = new SSLHandshakeException("PKIX path validation failed");
    chain.initCause(new CertPathValidatorException("Path does not chain with any anchor"));
    assertThat(ConnectionErrors.reason(chain, "links.")).contains("is not trusted", "links.trust");
    Exception none = new SSLHandshakeException("Empty client certificate chain");
    assertThat(ConnectionErrors.reason(new DecoderException(none), "links."))
        .isEqualTo("it shows no certificate of an authority that links.trust here names");
  }

  @Test
  void whatTlsLacksIsNamed() {
    assertThat(handshake(new CertPathBuilderException("no path"))).contains("is not trusted");
    assertThat(handshake(new CertificateException("No name matching b found")))
        .startsWith("its certificate is for another host (No name matching b found); make one");
    Exception expired = new CertificateExpiredException("NotAfter: 1 January");
    assertThat(handshake(new CertPathValidatorException("validity check failed", expired)))
        .startsWith("its certificate is not valid now (NotAfter: 1 January)");
    assertThat(ConnectionErrors.reason(new DecoderException(new NotSslRecordException("4d56"))))
        .startsWith("it speaks in the clear")
        .doesNotContain("4d56");
    assertThat(ConnectionErrors.reason(new DecoderException(new IOException("alert: no suite"))))
        .isEqualTo("alert: no suite");
  }
}
