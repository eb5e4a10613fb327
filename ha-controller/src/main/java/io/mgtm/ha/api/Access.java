package io.mgtm.ha.api;

import io.javalin.http.Context;
import io.javalin.http.ForbiddenResponse;
import io.javalin.http.Header;
import io.javalin.http.UnauthorizedResponse;
import io.mgtm.ha.config.AccessConfig;
import io.mgtm.ha.model.Role;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells who asks and what they may ask. A bearer token counts first, then a certificate; whoever
 * has neither and asks from this machine is its administrator. Any thread.
 */
final class Access {
  private static final Logger log = LoggerFactory.getLogger(Access.class);
  private static final String BEARER = "Bearer ";
  private static final String CALLER = "mgtm.caller";
  private static final String CERTIFICATES = "jakarta.servlet.request.X509Certificate";
  private static final Pattern CLAIMED = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.@-]{0,62}");
  private static final Pattern SLASHES_AT_THE_END = Pattern.compile("/+$");
  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|\\[[0-9a-fA-F:.%]+]|localhost");

  /** What takes another role than to read or to act does. */
  private static final Map<String, Role> NEEDED =
      Map.of("/v1/config/plan", Role.GUEST, "/v1/config/apply", Role.ADMINISTRATOR);

  private final Optional<String> token;
  private final Optional<TokenFile> tokens;
  private final AccessConfig config;
  private final Set<String> hosts;

  /**
   * As configured.
   *
   * @param secret the cluster's
   * @param hosts what controllers are called
   * @throws IOException when the file of tokens cannot be used
   */
  Access(Optional<String> secret, AccessConfig config, Set<String> hosts) throws IOException {
    this.token = secret.map(OperatorToken::of);
    this.tokens =
        config.tokenFile().isPresent()
            ? Optional.of(TokenFile.open(config.tokenFile().get()))
            : Optional.empty();
    this.config = config;
    this.hosts = Set.copyOf(hosts);
  }

  /**
   * Lets a request pass whose caller may ask it, and notes who that is.
   *
   * @throws UnauthorizedResponse when nothing shows who asks
   * @throws ForbiddenResponse when it takes another role
   */
  void check(Context ctx) {
    String path = SLASHES_AT_THE_END.matcher(ctx.path()).replaceFirst("");
    if (!path.startsWith("/v1/") && !path.equals("/metrics")) {
      return;
    }
    Caller caller = caller(ctx);
    ctx.attribute(CALLER, caller);
    boolean reads = ctx.method().name().equals("GET") || ctx.method().name().equals("HEAD");
    need(ctx, NEEDED.getOrDefault(path, reads ? Role.GUEST : Role.OPERATOR));
  }

  /** Refuses what takes a role that the caller does not have. */
  static void need(Context ctx, Role role) {
    Caller caller = of(ctx);
    if (!caller.role().includes(role)) {
      throw new ForbiddenResponse(
          "this takes the role %s, and %s has the role %s by %s"
              .formatted(role, caller.name(), caller.role(), caller.shown()));
    }
  }

  /** Who asks. */
  static Caller of(Context ctx) {
    return ctx.attribute(CALLER);
  }

  private Caller caller(Context ctx) {
    String from = ctx.ip();
    String authorization = ctx.header(Header.AUTHORIZATION);
    if (authorization != null) {
      return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
          ? byToken(ctx, authorization.substring(BEARER.length()).strip(), from)
          : unknown("only \"Authorization: Bearer TOKEN\" is understood");
    }
    if (ctx.req().getAttribute(CERTIFICATES) instanceof X509Certificate[] chain
        && chain.length > 0) {
      notFromElsewhere(ctx);
      return byCertificate(chain[0], from);
    }
    if (isThisMachine(from)) {
      notFromElsewhere(ctx);
      return new Caller(claimed(ctx), Role.ADMINISTRATOR, "being on this machine", from);
    }
    return unknown(
        "a token or a certificate is needed from another machine: give --secret-file"
            + " /etc/mgtm/ha.secret where that can be read, or --token-file FILE");
  }

  private Caller byToken(Context ctx, String given, String from) {
    byte[] bytes = given.getBytes(StandardCharsets.UTF_8);
    if (token.isPresent()
        && MessageDigest.isEqual(token.get().getBytes(StandardCharsets.UTF_8), bytes)) {
      return new Caller(claimed(ctx), Role.ADMINISTRATOR, "the cluster's secret", from);
    }
    try {
      Optional<TokenFile.Operator> known =
          tokens.isEmpty() ? Optional.empty() : tokens.get().of(given);
      if (known.isPresent()) {
        return new Caller(known.get().name(), known.get().role(), "its token", from);
      }
    } catch (IOException e) {
      log.error("No token is known: {}", e.getMessage());
    }
    return unknown("this token is not known here; see access.tokenFile and secretFile");
  }

  private Caller byCertificate(X509Certificate certificate, String from) {
    Role role = config.certificates().get(certificate.getSubjectX500Principal());
    String subject = certificate.getSubjectX500Principal().getName();
    return role == null
        ? unknown("the certificate of %s has no role; see access.certificates".formatted(subject))
        : new Caller(subject, role, "its certificate", from);
  }

  private static Caller unknown(String why) {
    throw new UnauthorizedResponse(why);
  }

  /** What a program says of who uses it, where nothing proves it. */
  private static String claimed(Context ctx) {
    String name = Optional.ofNullable(ctx.header("Mgtm-Operator")).orElse("");
    return CLAIMED.matcher(name).matches() ? name : "operator";
  }

  private static boolean isThisMachine(String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * A browser shows a certificate, or is on this machine, for every page that it has open. So a
   * page of another site must not ask, nor one whose name leads here only now.
   */
  private void notFromElsewhere(Context ctx) {
    String host = Optional.ofNullable(ctx.header(Header.HOST)).orElse("");
    String origin = ctx.header(Header.ORIGIN);
    boolean same = origin == null || host.equals(authority(origin));
    String name = host.replaceFirst(":\\d+$", "");
    boolean named = ctx.req().isSecure() || hosts.contains(name) || ADDRESS.matcher(name).matches();
    if (!same || !named) {
      throw new ForbiddenResponse(
          "a page of %s may not ask; ask at the controller's own address, or with a token"
              .formatted(origin == null ? host : origin));
    }
  }

  private static String authority(String origin) {
    try {
      return String.valueOf(URI.create(origin).getRawAuthority());
    } catch (IllegalArgumentException e) {
      return "";
    }
  }
}
