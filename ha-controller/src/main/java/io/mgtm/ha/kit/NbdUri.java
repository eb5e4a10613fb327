package io.mgtm.ha.kit;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** An NBD server's export as people write it: {@code nbd+unix:///v1?socket=/run/v1.sock}. */
final class NbdUri {
  private static final String DEFAULT_PORT = "10809";
  private static final String SOCKET = "socket=";

  private NbdUri() {}

  /** Its {@code export}, and its {@code socket} or {@code host} and {@code port}. */
  static Map<String, String> parse(String text) throws KitException {
    URI uri;
    try {
      uri = URI.create(text);
    } catch (IllegalArgumentException e) {
      throw bad(text);
    }
    Map<String, String> parts = new HashMap<>();
    String path = uri.getPath() == null ? "" : uri.getPath();
    parts.put("export", path.startsWith("/") ? path.substring(1) : path);
    String query = uri.getRawQuery() == null ? "" : uri.getRawQuery();
    if ("nbd+unix".equals(uri.getScheme()) && query.startsWith(SOCKET)) {
      parts.put(
          "socket", URLDecoder.decode(query.substring(SOCKET.length()), StandardCharsets.UTF_8));
    } else if ("nbd".equals(uri.getScheme()) && uri.getHost() != null) {
      parts.put("host", uri.getHost());
      parts.put("port", uri.getPort() < 0 ? DEFAULT_PORT : Integer.toString(uri.getPort()));
    } else {
      throw bad(text);
    }
    return parts;
  }

  private static KitException bad(String text) {
    return new KitException(
        "\"%s\" is no NBD export: expected nbd+unix:///NAME?socket=PATH or nbd://HOST:PORT/NAME"
            .formatted(text));
  }
}
