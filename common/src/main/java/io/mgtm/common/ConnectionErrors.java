package io.mgtm.common;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;

/** Why a connection failed, in words for an operator. Any thread. */
public final class ConnectionErrors {
  private static final int CAUSES_MAX = 8;

  private ConnectionErrors() {}

  /**
   * What went wrong, as a clause about the other end, and for TLS what to do; without the name of
   * the call that failed, and the address, which whoever says this names.
   */
  public static String reason(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < CAUSES_MAX && cause.getCause() != null && !isRecord(cause); i++) {
      cause = cause.getCause();
    }
    if (isRecord(cause)) {
      // Its message is all that came, in hexadecimal digits.
      return "it speaks in the clear, and TLS is set here; set it at both ends, or at neither";
    }
    if (cause instanceof CertPathBuilderException) {
      return "its certificate is not trusted; name it, or who signed it, among those to trust";
    }
    if (cause instanceof CertificateExpiredException
        || cause instanceof CertificateNotYetValidException) {
      return "its certificate is not valid now (%s); make a new one, or set the clocks"
          .formatted(cause.getMessage());
    }
    if (cause instanceof CertificateException) {
      return "its certificate is for another host (%s); make one for the name or address that is connected to"
          .formatted(cause.getMessage());
    }
    boolean wrapped = failure instanceof DecoderException && failure.getCause() != null;
    return String.valueOf((wrapped ? failure.getCause() : failure).getMessage())
        .replaceFirst("^\\w+\\([^)]*\\) failed( with error\\(-?\\d+\\))?: ", "")
        .replaceFirst(": \\S*/[\\d.:a-f\\[\\]%]*:\\d+$", "");
  }

  private static boolean isRecord(Throwable cause) {
    return cause instanceof NotSslRecordException;
  }
}
