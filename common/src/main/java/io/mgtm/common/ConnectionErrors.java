package io.mgtm.common;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.EOFException;
import java.net.ConnectException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import javax.net.ssl.SSLException;

/** Why a connection failed, in words for an operator. Any thread. */
public final class ConnectionErrors {
  private static final int CAUSES_MAX = 8;

  /** How the JDK says that what came is no TLS. */
  private static final String NOT_TLS = "Unsupported or unrecognized SSL message";

  /** How the JDK says that a client has shown no certificate to a server that wants one. */
  private static final String NO_CERTIFICATE = "Empty client certificate chain";

  private static final String ALERT = "Received fatal alert: ";

  private ConnectionErrors() {}

  /**
   * What went wrong, as a clause about the other end, and for TLS what to do; without the name of
   * the call that failed, and the address, which whoever says this names.
   */
  public static String reason(Throwable failure) {
    return reason(failure, null);
  }

  /**
   * The same, with the settings of this end to look at.
   *
   * @param prefix what the names of TLS's settings begin with, such as {@code links.} or {@code --}
   */
  public static String reason(Throwable failure, String prefix) {
    Throwable cause = failure;
    for (int i = 0; i < CAUSES_MAX && cause.getCause() != null && !isLast(cause); i++) {
      cause = cause.getCause();
    }
    if (isRecord(cause) || NOT_TLS.equals(cause.getMessage())) {
      // Its message is all that came, in hexadecimal digits.
      return "it speaks in the clear, and TLS is set here; set it at both ends, or at neither";
    }
    if (cause instanceof CertificateExpiredException
        || cause instanceof CertificateNotYetValidException) {
      return "its certificate is not valid now (%s); make a new one, or set the clocks"
          .formatted(cause.getMessage());
    }
    if (cause instanceof CertPathBuilderException || cause instanceof CertPathValidatorException) {
      return "its certificate is not trusted; name it, or who signed it, "
          + (prefix == null ? "among those to trust" : "in " + prefix + "trust");
    }
    if (cause instanceof CertificateException) {
      return "its certificate is for another host (%s); make one for the name or address that is connected to"
          .formatted(cause.getMessage());
    }
    if (cause instanceof ConnectException && cause.getMessage() == null) {
      return "Connection refused"; // The JDK's client of HTTP leaves it out.
    }
    if (cause instanceof ClosedChannelException) {
      return "it closed the connection";
    }
    if (cause instanceof SSLException) {
      String told = String.valueOf(cause.getMessage());
      if (told.equals(NO_CERTIFICATE)) {
        return "it shows no certificate of an authority that "
            + (prefix == null ? "is trusted here" : prefix + "trust here names");
      }
      if (told.contains(ALERT)) {
        return alert(told.substring(told.indexOf(ALERT) + ALERT.length()), prefix);
      }
    }
    if (failure instanceof SSLException && cause instanceof EOFException) {
      return "it closed the connection when TLS was begun; it may not speak TLS";
    }
    String http = http(String.valueOf(failure.getMessage()));
    if (http != null) {
      return http;
    }
    boolean wrapped = failure instanceof DecoderException && failure.getCause() != null;
    return String.valueOf((wrapped ? failure.getCause() : failure).getMessage())
        .replaceFirst("^\\w+\\([^)]*\\) failed( with error\\(-?\\d+\\))?: ", "")
        .replaceFirst(": \\S*/[\\d.:a-f\\[\\]%]*:\\d+$", "");
  }

  /** What the JDK's client of HTTP means, or null when it is nothing of it. */
  private static String http(String said) {
    if (said.startsWith("HTTP/1.1 header parser received no bytes")) {
      return "it closed the connection without an answer";
    }
    return said.startsWith("parsing HTTP/1.1 ") || said.startsWith("Invalid status line")
        ? "it speaks no HTTP"
        : null;
  }

  /** What the other end says is wrong, by a name of the protocol's. */
  private static String alert(String name, String prefix) {
    if (name.contains("certificate") || name.equals("unknown_ca")) {
      return "it does not accept this end's certificate, or wants one; see "
          + (prefix == null ? "the certificate here" : prefix + "certificate and " + prefix + "key")
          + ", and what the other end trusts";
    }
    return name.equals("protocol_version")
        ? "it speaks another version of TLS"
        : "it refuses TLS (" + name.replace('_', ' ') + ")";
  }

  /** Whether the cause behind it tells less. */
  private static boolean isLast(Throwable cause) {
    return isRecord(cause) || cause instanceof ConnectException;
  }

  private static boolean isRecord(Throwable cause) {
    return cause instanceof NotSslRecordException;
  }
}
