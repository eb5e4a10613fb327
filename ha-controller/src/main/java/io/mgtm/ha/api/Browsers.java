package io.mgtm.ha.api;

import io.javalin.http.Context;
import io.javalin.http.Header;
import io.mgtm.common.HostPort;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Keeps pages of other sites from asking a controller through the browser of an operator: a request
 * from this machine needs no token, and a tunnel makes all of them such requests. Any thread.
 */
final class Browsers {
  private static final Pattern LITERAL =
      Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-f:.%]+]");

  private final Set<String> names;

  /**
   * @param names host names of the cluster's nodes; those that are addresses need not be among them
   */
  Browsers(Set<String> names) {
    this.names = names;
  }

  /** Why a request is refused; empty when it is not. */
  Optional<String> refusal(Context ctx) {
    String host = Optional.ofNullable(ctx.header(Header.HOST)).orElse("");
    String origin = ctx.header(Header.ORIGIN);
    if (origin != null && !origin.replaceFirst("^https?://", "").equalsIgnoreCase(host)) {
      return Optional.of("the request comes from a page of " + origin + ", not of this controller");
    }
    if ("cross-site".equals(ctx.header("Sec-Fetch-Site")) && !"GET".equals(ctx.method().name())) {
      return Optional.of("the request comes from a page of another site");
    }
    return isKnown(host)
        ? Optional.empty()
        : Optional.of(
            "\"%s\" is no name of a node; use the node's address, or localhost".formatted(host));
  }

  /** A name that somebody else can point at this machine is none. */
  private boolean isKnown(String host) {
    String name = host.replaceFirst(":\\d*$", "").toLowerCase(Locale.ROOT);
    return name.isEmpty()
        || name.equals("localhost")
        || LITERAL.matcher(name).matches()
        || names.contains(name);
  }

  /** The name of an address of the configuration, as a browser writes it. */
  static String name(HostPort address) {
    return address.host().toLowerCase(Locale.ROOT);
  }
}
