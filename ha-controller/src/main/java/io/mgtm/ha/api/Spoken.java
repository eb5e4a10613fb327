package io.mgtm.ha.api;

import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;

/** What is said on a connection. */
final class Spoken {
  private Spoken() {}

  /** What speaks HTTP on it, under TLS or not; null when that is not known yet. */
  static Connection on(EndPoint endPoint) {
    Connection connection = endPoint.getConnection();
    return connection instanceof SslConnection tls
        ? tls.getSslEndPoint().getConnection()
        : connection;
  }

  /** Whether the head of a request has come that is not answered yet. */
  static boolean isAsked(EndPoint endPoint) {
    Connection connection = on(endPoint);
    return connection != null && connection.getMessagesOut() != connection.getMessagesIn();
  }
}
