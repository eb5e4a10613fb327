package io.mgtm.ha.console;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.Header;
import io.javalin.http.HttpStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * The console's files, at {@code /} and {@code /console/NAME}: they hold nothing of the cluster, so
 * that everybody may have them, and load nothing from elsewhere. Any thread.
 */
public final class Console {
  private static final String FOLDER = "/console/";
  private static final String PAGE = "console.html";

  /** Nothing inline, nothing from elsewhere, no text that becomes markup. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types 'none'";

  private static final String SCRIPT = "text/javascript; charset=utf-8";

  private static final Map<String, String> TYPES =
      Map.of(
          PAGE,
          "text/html; charset=utf-8",
          "console.css",
          "text/css; charset=utf-8",
          "icon.svg",
          "image/svg+xml",
          "console.js",
          SCRIPT,
          "dialog.js",
          SCRIPT,
          "dom.js",
          SCRIPT,
          "graph.js",
          SCRIPT,
          "model.js",
          SCRIPT,
          "server.js",
          SCRIPT,
          "views.js",
          SCRIPT);

  private record Asset(String type, String text, String tag) {}

  private final Map<String, Asset> assets = new TreeMap<>();

  /** Reads the files, which are few and small. */
  public Console() {
    TYPES.forEach((name, type) -> assets.put(name, read(name, type)));
  }

  private static Asset read(String name, String type) {
    try (InputStream in = Console.class.getResourceAsStream(name)) {
      byte[] bytes = in.readAllBytes();
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return new Asset(
          type,
          new String(bytes, StandardCharsets.UTF_8),
          '"' + HexFormat.of().formatHex(digest, 0, 8) + '"');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no SHA-256", e);
    }
  }

  /** Serves the files. */
  public void serve(RoutesConfig routes) {
    routes.get("/", ctx -> answer(ctx, PAGE));
    routes.get(FOLDER + "{name}", ctx -> answer(ctx, ctx.pathParam("name")));
  }

  private void answer(Context ctx, String name) {
    Asset asset = assets.get(name);
    if (asset == null) {
      ctx.status(HttpStatus.NOT_FOUND);
      return;
    }
    ctx.header("Content-Security-Policy", POLICY)
        .header("X-Content-Type-Options", "nosniff")
        .header("Referrer-Policy", "no-referrer")
        .header(Header.CACHE_CONTROL, "no-cache")
        .header(Header.ETAG, asset.tag());
    if (asset.tag().equals(ctx.header(Header.IF_NONE_MATCH))) {
      ctx.status(HttpStatus.NOT_MODIFIED);
    } else {
      ctx.contentType(asset.type()).result(asset.text());
    }
  }
}
