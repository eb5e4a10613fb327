package io.mgtm.gtm.gateway;

import io.netty.handler.ssl.NotSslRecordException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;

/** What an operator should know of a TLS handshake that failed. */
final class TlsFailure {
  private static final int CAUSES_MAX = 8;

  private TlsFailure() {}

  /** Why there is no TLS with a node, and what to do. */
  static String text(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < CAUSES_MAX && cause.getCause() != null && !isTold(cause); i++) {
      cause = cause.getCause();
    }
    return "no TLS with it: " + reason(cause);
  }

  private static boolean isTold(Throwable cause) {
    return cause instanceof NotSslRecordException;
  }

  private static String reason(Throwable cause) {
    if (cause instanceof NotSslRecordException) {
      return "it answers in the clear; set links.certificate and links.key there, or leave TLS out here";
    }
    if (cause instanceof CertPathBuilderException) {
      return "its certificate is not trusted; name it, or who signed it, in tls.trust";
    }
    if (cause instanceof CertificateException) {
      return "its certificate is for another host ("
          + cause.getMessage()
          + "); make one for the name or address that is connected to";
    }
    return String.valueOf(cause.getMessage());
  }
}
