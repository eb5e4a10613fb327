package io.mgtm.ha.api;

import io.javalin.Javalin;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.Header;
import io.javalin.http.HttpStatus;
import io.javalin.json.JavalinJackson;
import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.ha.config.ClusterFile;
import io.mgtm.ha.config.ConfigPlan;
import io.mgtm.ha.console.Console;
import io.mgtm.ha.core.ClusterCommand;
import io.mgtm.ha.core.Event;
import io.mgtm.ha.core.LeaderEffects.Reply;
import io.mgtm.ha.kit.ResourceCheck;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.node.ClusterView;
import io.mgtm.ha.node.HaNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Answers operators over HTTP. Whoever asks from this machine needs no more; from elsewhere, an
 * {@link OperatorToken} as a bearer token.
 */
public final class ApiServer implements AutoCloseable {
  private static final int BODY_BYTES_MAX = 1 << 20;

  private final HaNode node;
  private final ResourceCheck kits;
  private final Optional<String> token;
  private final EventStreams streams = new EventStreams();
  private final StreamRoute streamRoute;
  private final Browsers browsers;
  private final Forward forward = new Forward();
  private final Javalin server;

  private ApiServer(HaNode node, ResourceCheck kits, Optional<String> secret) {
    this.node = node;
    this.kits = kits;
    this.token = secret.map(OperatorToken::of);
    this.streamRoute = new StreamRoute(streams, node::view);
    this.browsers = new Browsers(names(node.config()));
    server =
        Javalin.create(
            config -> {
              config.startup.showJavalinBanner = false;
              config.http.maxRequestSize = BODY_BYTES_MAX;
              config.jsonMapper(new JavalinJackson());
              routes(config.routes);
            });
  }

  /**
   * Listens.
   *
   * @throws IOException when the address cannot be listened on
   */
  public static ApiServer start(
      HaNode node, HostPort at, ResourceCheck kits, Optional<String> secret) throws IOException {
    ApiServer api = new ApiServer(node, kits, secret);
    try {
      node.onCommitted(api.streams::committed);
      api.server.start(at.host(), at.port());
      return api;
    } catch (RuntimeException e) {
      throw new IOException(
          "cannot listen for operators on %s: %s; see the node's addresses and ports.api"
              .formatted(at, e.getCause() == null ? e.getMessage() : e.getCause().getMessage()),
          e);
    }
  }

  private void routes(RoutesConfig routes) {
    routes.before(this::refuseOtherPages);
    routes.before(this::authorize);
    new Console().serve(routes);
    routes.get("/health", this::health);
    routes.get("/metrics", this::metrics);
    routes.get("/v1/openapi.json", ApiServer::description);
    routes.get("/v1/status", ctx -> ctx.json(node.view()));
    routes.get("/v1/whoami", ctx -> ctx.json(Map.of("role", "administrator")));
    routes.get("/v1/events", this::events);
    routes.get("/v1/events/stream", streamRoute::serve);
    routes.get("/v1/events/{id}", this::event);
    routes.get("/v1/config", ctx -> ctx.json(node.config()));
    routes.post("/v1/config/plan", ctx -> ctx.json(plan(ctx)));
    routes.post("/v1/config/apply", this::apply);
    routes.post("/v1/hierarchies/{name}/{action}", this::act);
    routes.post("/v1/maintenance", this::maintain);
    routes.exception(BadRequest.class, (e, ctx) -> error(ctx, HttpStatus.BAD_REQUEST, e));
    routes.exception(ConfigException.class, (e, ctx) -> error(ctx, HttpStatus.BAD_REQUEST, e));
    routes.error(
        HttpStatus.NOT_FOUND,
        ctx -> {
          if (ctx.result() == null || ctx.result().isEmpty() || !ctx.result().startsWith("{")) {
            ctx.json(Map.of("error", "there is nothing at " + ctx.path()));
          }
        });
  }

  private static Set<String> names(ClusterConfig config) {
    return config.nodes().values().stream()
        .flatMap(node -> Stream.concat(Stream.of(node.api()), node.paths().stream()))
        .map(Browsers::name)
        .collect(Collectors.toSet());
  }

  private void refuseOtherPages(Context ctx) {
    browsers
        .refusal(ctx)
        .ifPresent(
            why ->
                ctx.status(HttpStatus.FORBIDDEN)
                    .json(Map.of("error", why))
                    .skipRemainingHandlers());
  }

  private static void error(Context ctx, HttpStatus status, Exception e) {
    ctx.status(status).json(Map.of("error", String.valueOf(e.getMessage())));
  }

  private void authorize(Context ctx) throws IOException {
    if (ctx.path().equals("/health")
        || Console.isFile(ctx.path())
        || InetAddress.getByName(ctx.ip()).isLoopbackAddress()) {
      return;
    }
    String given = Optional.ofNullable(ctx.header(Header.AUTHORIZATION)).orElse("");
    byte[] wanted = ("Bearer " + token.orElse("")).getBytes(StandardCharsets.UTF_8);
    boolean right = MessageDigest.isEqual(wanted, given.getBytes(StandardCharsets.UTF_8));
    if (token.isEmpty() || !right) {
      ctx.status(HttpStatus.UNAUTHORIZED)
          .json(
              Map.of(
                  "error",
                  "the cluster's secret is needed from another machine; see --secret-file"))
          .skipRemainingHandlers();
    }
  }

  private void health(Context ctx) {
    ClusterView view = node.view();
    String trouble =
        view.leader().isEmpty() ? "no controller leads: a majority is not connected" : "";
    ctx.status(trouble.isEmpty() ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE)
        .json(
            trouble.isEmpty()
                ? Map.of("status", "up", "detail", view.leader() + " leads")
                : Map.of("status", "down", "reason", trouble));
  }

  private void metrics(Context ctx) {
    ctx.contentType("text/plain; version=0.0.4; charset=utf-8").result(Metrics.text(node.view()));
  }

  private static void description(Context ctx) throws IOException {
    try (InputStream in = ApiServer.class.getResourceAsStream("openapi.json")) {
      ctx.contentType("application/json").result(in.readAllBytes());
    }
  }

  private void events(Context ctx) {
    long after = number(ctx.queryParam("after"), "after");
    ctx.json(node.view().state().events().stream().filter(e -> e.id() > after).toList());
  }

  private void event(Context ctx) {
    long id = number(ctx.pathParam("id"), "id");
    Optional<Event> found =
        node.view().state().events().stream().filter(e -> e.id() == id).findFirst();
    if (found.isPresent()) {
      ctx.json(found.get());
    } else {
      ctx.status(HttpStatus.NOT_FOUND)
          .json(Map.of("error", "there is no event %d, or it is too old to be kept".formatted(id)));
    }
  }

  static long number(String text, String what) {
    try {
      return text == null ? 0 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new BadRequest(what + " is \"" + text + "\", expected a whole number");
    }
  }

  private ClusterConfig proposed(Context ctx) throws ConfigException {
    return ClusterFile.parse("the new configuration", ctx.body(), kits).config();
  }

  private List<ConfigPlan.Change> plan(Context ctx) throws ConfigException {
    return ConfigPlan.of(node.config(), proposed(ctx));
  }

  private void apply(Context ctx) throws ConfigException {
    List<ConfigPlan.Change> changes = plan(ctx);
    Optional<ConfigPlan.Change> refused =
        changes.stream().filter(c -> c.effect() == ConfigPlan.Effect.REFUSED).findFirst();
    if (refused.isPresent()) {
      throw new BadRequest(refused.get().where() + ": " + refused.get().what());
    }
    long version = node.view().state().configVersion();
    answer(ctx, new ClusterCommand.Configure(proposed(ctx), version));
  }

  private void act(Context ctx) {
    String name = ctx.pathParam("name");
    String action = ctx.pathParam("action");
    Request.Act body = Request.read(ctx.body(), Request.Act.class);
    ClusterCommand.Asked command =
        switch (action) {
          case "start" -> new ClusterCommand.Start(name, body.node(), body.acceptLoss());
          case "stop" -> new ClusterCommand.Stop(name);
          case "switchover" -> new ClusterCommand.Switchover(name, body.node(), body.acceptLoss());
          case "confirm" -> new ClusterCommand.Answer(name, true);
          case "cancel" -> new ClusterCommand.Answer(name, false);
          default ->
              throw new BadRequest(
                  "there is no action \"%s\"; there are start, stop, switchover, confirm and cancel"
                      .formatted(action));
        };
    answer(ctx, command);
  }

  private void maintain(Context ctx) {
    Request.Maintenance body = Request.read(ctx.body(), Request.Maintenance.class);
    answer(ctx, new ClusterCommand.Maintain(body.scope(), body.name(), body.on()));
  }

  private void answer(Context ctx, ClusterCommand.Asked command) {
    String by = Optional.ofNullable(ctx.header("Mgtm-Operator")).orElse("operator");
    try {
      Reply reply = node.ask(by, command).join();
      switch (reply.outcome()) {
        case DONE -> ctx.json(Map.of("done", reply.text()));
        case REFUSED -> ctx.status(HttpStatus.CONFLICT).json(Map.of("error", reply.text()));
        case IN_DOUBT ->
            ctx.status(HttpStatus.SERVICE_UNAVAILABLE)
                .json(
                    Map.of(
                        "error",
                        "the leading controller has changed meanwhile; look at the status, whether it was done"));
        case NOT_LEADING -> redirect(ctx);
      }
    } catch (CompletionException e) {
      ctx.status(HttpStatus.SERVICE_UNAVAILABLE)
          .json(Map.of("error", "no decision in 30 s: " + e.getCause()));
    }
  }

  /** Only the leader decides. */
  private void redirect(Context ctx) {
    Node leader = node.config().nodes().get(node.view().leader());
    if (leader == null) {
      ctx.status(HttpStatus.SERVICE_UNAVAILABLE)
          .json(Map.of("error", "no controller leads: a majority is not connected"));
      return;
    }
    String location = "http://" + leader.api() + ctx.path();
    if (Forward.isWanted(ctx)) {
      forward.pass(ctx, URI.create(location), token);
      return;
    }
    ctx.header(Header.LOCATION, location).status(HttpStatus.TEMPORARY_REDIRECT);
  }

  /** The address with its port. */
  public int port() {
    return server.port();
  }

  @Override
  public void close() {
    streams.close();
    server.stop();
  }

  /** What was asked makes no sense; the message says why. */
  static final class BadRequest extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BadRequest(String message) {
      super(message);
    }
  }
}
