package io.mgtm.ha.api;

import io.javalin.Javalin;
import io.javalin.config.RoutesConfig;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.Context;
import io.javalin.http.Header;
import io.javalin.http.HttpResponseException;
import io.javalin.http.HttpStatus;
import io.javalin.json.JavalinJackson;
import io.mgtm.common.ConfigException;
import io.mgtm.common.ListenErrors;
import io.mgtm.ha.console.Console;
import io.mgtm.ha.core.ActionRefused;
import io.mgtm.ha.core.Event;
import io.mgtm.ha.core.LeaderEffects.Reply;
import io.mgtm.ha.core.LeaderEffects.Reply.Outcome;
import io.mgtm.ha.core.OperatorCommand;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.model.Role;
import io.mgtm.ha.node.ClusterView;
import io.mgtm.ha.node.HaNode;
import io.mgtm.ha.notify.Notifier;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers operators over HTTP: what {@code openapi.json} describes. {@link Access} says who may ask
 * what, {@link Web} how it is spoken.
 */
public final class ApiServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ApiServer.class);

  /** What only the replicated state tells. */
  private static final Pattern STATE =
      Pattern.compile("/v1/(status|events|events/.*|config|config/plan|.*/check)");

  private final HaNode node;
  private final ConfigRequests changes;
  private final Access access;
  private final Web web;
  private final Audit audit = new Audit();
  private final Optional<Notifier> notifier;
  private final EventStreams streams = new EventStreams();
  private final StreamRoute streamRoute;
  private final CheckRoute checkRoute;
  private final Forward forward;
  private final Javalin server;

  private ApiServer(HaNode node, ApiSetup setup) throws IOException {
    this.node = node;
    this.changes = new ConfigRequests(node, setup.kits());
    this.notifier = setup.notifier();
    this.access = new Access(setup.secret(), setup.access(), hosts(node));
    this.web = Web.at(setup.at(), setup.tls());
    this.streamRoute = new StreamRoute(streams, node::view);
    this.checkRoute = new CheckRoute(node, audit, this::redirect);
    this.forward = Forward.by(setup);
    server =
        Javalin.create(
            config -> {
              config.startup.showJavalinBanner = false;
              config.http.maxRequestSize = Request.BODY_BYTES_MAX;
              config.http.prefer405over404 = true;
              config.jsonMapper(new JavalinJackson());
              web.configure(config);
              routes(config.routes);
            });
  }

  private static Set<String> hosts(HaNode node) {
    return node.config().nodes().values().stream()
        .map(each -> each.api().host())
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Listens.
   *
   * @throws IOException when the address cannot be listened on, or a file that is named cannot be
   *     used
   */
  public static ApiServer start(HaNode node, ApiSetup setup) throws IOException {
    ApiServer api = new ApiServer(node, setup);
    try {
      node.onCommitted(api.streams::committed);
      api.server.start();
      return api;
    } catch (RuntimeException e) {
      api.close();
      throw ListenErrors.of("ports.api", setup.at(), e.getCause() == null ? e : e.getCause());
    }
  }

  private void routes(RoutesConfig routes) {
    routes.before(access::check);
    routes.before(this::askAnother);
    new Console().serve(routes);
    routes.get("/health", this::health);
    routes.get("/metrics", this::metrics);
    routes.get("/v1/openapi.json", ApiServer::description);
    routes.get("/v1/status", ctx -> ctx.json(node.view()));
    routes.get("/v1/whoami", ApiServer::whoAsks);
    routes.get("/v1/events", this::events);
    routes.get("/v1/events/stream", streamRoute::serve);
    routes.get("/v1/events/{id}", this::event);
    routes.get("/v1/config", ctx -> ctx.json(node.config()));
    routes.post("/v1/config/plan", ctx -> ctx.json(changes.plan(ctx)));
    routes.post("/v1/config/apply", ctx -> answer(ctx, changes.apply(ctx)));
    routes.post("/v1/hierarchies/{name}/{action}", this::act);
    routes.post("/v1/hierarchies/{name}/resources/{resource}/check", checkRoute::serve);
    routes.post("/v1/nodes/{name}/{action}", this::actOnNode);
    routes.post("/v1/maintenance", this::maintain);
    routes.post("/v1/notify/test", this::testNotify);
    routes.exception(ConfigException.class, (e, ctx) -> error(ctx, HttpStatus.BAD_REQUEST, e));
    routes.exception(HttpResponseException.class, this::refused);
    routes.exception(
        RejectedExecutionException.class,
        (e, ctx) -> error(ctx, HttpStatus.SERVICE_UNAVAILABLE, "the controller is stopping"));
    routes.exception(Exception.class, ApiServer::broken);
  }

  private static void whoAsks(Context ctx) {
    Caller caller = Access.of(ctx);
    ctx.json(Map.of("name", caller.name(), "role", caller.role().toString()));
  }

  private static void error(Context ctx, HttpStatus status, Exception e) {
    error(ctx, status, String.valueOf(e.getMessage()));
  }

  static void error(Context ctx, HttpStatus status, String why) {
    ctx.status(status).json(Map.of("error", why));
  }

  private void refused(HttpResponseException e, Context ctx) {
    HttpStatus status = HttpStatus.forStatus(e.getStatus());
    String why = e.getMessage();
    switch (status) {
      case UNAUTHORIZED -> {
        ctx.header(Header.WWW_AUTHENTICATE, "Bearer");
        audit.refused("somebody at " + ctx.ip(), ctx.method() + " " + ctx.path(), why);
      }
      case FORBIDDEN -> {
        Caller caller = Access.of(ctx);
        String who = caller == null ? "somebody at " + ctx.ip() : caller.by();
        audit.refused(who, ctx.method() + " " + ctx.path(), why);
      }
      case NOT_FOUND -> why = "there is nothing at " + Audit.clean(ctx.path());
      case METHOD_NOT_ALLOWED -> {
        // The key depends on what the client accepts.
        String allowed = String.join(", ", e.getDetails().values());
        ctx.header(Header.ALLOW, allowed);
        why = "%s takes %s".formatted(Audit.clean(ctx.path()), allowed);
      }
      default -> {
        // Its message is ours.
      }
    }
    error(ctx, status, why);
  }

  /** Ours to mend: the log says what it was. */
  private static void broken(Exception e, Context ctx) {
    log.error("{} {} failed", ctx.method(), Audit.clean(ctx.path()), e);
    error(ctx, HttpStatus.INTERNAL_SERVER_ERROR, "this controller has failed to answer");
  }

  /** A witness votes and has no state: another controller knows how the cluster is. */
  private void askAnother(Context ctx) {
    if (!STATE.matcher(ctx.path()).matches()) {
      return;
    }
    ClusterView view = node.view();
    Map<String, Node> nodes = node.config().nodes();
    Node own = nodes.get(view.node());
    if (own == null || !own.witness()) {
      return; // one that is in the configuration no more says what it knows
    }
    Stream.concat(Stream.of(view.leader()), view.connected().stream())
        .filter(other -> nodes.containsKey(other) && !nodes.get(other).witness())
        .findFirst()
        .ifPresent(
            other -> {
              redirect(ctx, nodes.get(other));
              ctx.skipRemainingHandlers();
            });
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
    ctx.contentType("text/plain; version=0.0.4; charset=utf-8")
        .result(Metrics.text(node.view(), node.config()));
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
      error(
          ctx,
          HttpStatus.NOT_FOUND,
          "there is no event %d, or it is too old to be kept".formatted(id));
    }
  }

  static long number(String text, String what) {
    try {
      return text == null ? 0 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new BadRequestResponse(
          "%s is \"%s\", expected a whole number".formatted(what, Audit.clean(text)));
    }
  }

  private void act(Context ctx) {
    String name = ctx.pathParam("name");
    String action = ctx.pathParam("action");
    Request.Act body = Request.json(ctx, Request.Act.class);
    if (body.acceptLoss()) {
      Access.need(ctx, Role.ADMINISTRATOR);
    }
    OperatorCommand command =
        switch (action) {
          case "start" -> new OperatorCommand.Start(name, body.node(), body.acceptLoss());
          case "stop" -> new OperatorCommand.Stop(name);
          case "switchover" -> new OperatorCommand.Switchover(name, body.node(), body.acceptLoss());
          case "confirm" -> new OperatorCommand.Answer(name, true);
          case "cancel" -> new OperatorCommand.Answer(name, false);
          default -> throw noAction(action, "start, stop, switchover, confirm and cancel");
        };
    answer(ctx, command);
  }

  private void actOnNode(Context ctx) {
    String name = ctx.pathParam("name");
    String action = ctx.pathParam("action");
    Request.NodeAct body = Request.json(ctx, Request.NodeAct.class);
    answer(
        ctx,
        switch (action) {
          case "retire" -> new OperatorCommand.Retire(name, body.rest());
          case "activate" -> new OperatorCommand.Activate(name);
          default -> throw noAction(action, "retire and activate");
        });
  }

  private static BadRequestResponse noAction(String action, String known) {
    return new BadRequestResponse(
        "there is no action \"%s\"; there are %s".formatted(Audit.clean(action), known));
  }

  private void maintain(Context ctx) {
    Request.Maintenance body = Request.json(ctx, Request.Maintenance.class);
    OperatorCommand.Maintain command =
        new OperatorCommand.Maintain(body.scope(), body.name(), body.on());
    ClusterView view = node.view();
    Optional<String> done =
        view.leader().equals(view.node())
            ? MaintenanceWords.done(command, view.state())
            : Optional.empty();
    if (done.isPresent()) {
      ctx.json(Map.of("done", done.get()));
    } else {
      answer(ctx, command);
    }
  }

  private void testNotify(Context ctx) {
    Caller caller = Access.of(ctx);
    Map<String, String> told = notifier.map(all -> all.test(caller.by())).orElse(Map.of());
    audit.asked(caller, "to test whom events are told", told.toString());
    ctx.json(Map.of("told", told));
  }

  private void answer(Context ctx, OperatorCommand command) {
    Caller caller = Access.of(ctx);
    Reply reply;
    try {
      reply = node.ask(caller.by(), command).join();
    } catch (CompletionException e) {
      reply =
          new Reply(
              Outcome.IN_DOUBT, "no decision in 30 s; look at the status, whether it was done");
    }
    if (reply.outcome() == Outcome.NOT_LEADING) {
      leaderDecides(ctx);
      return;
    }
    audit.asked(
        caller,
        command.subject() + " " + command.what(),
        reply.outcome() == Outcome.DONE ? "done" : reply.outcome() + ": " + reply.text());
    switch (reply.outcome()) {
      case DONE -> ctx.json(Map.of("done", reply.text()));
      case REFUSED -> {
        error(ctx, HttpStatus.CONFLICT, reply.text());
        node.ask(caller.by(), ActionRefused.of(command, reply.text()));
      }
      default -> error(ctx, HttpStatus.SERVICE_UNAVAILABLE, reply.text());
    }
  }

  /** Only the leader decides. */
  private void leaderDecides(Context ctx) {
    Node leader = node.config().nodes().get(node.view().leader());
    if (leader == null) {
      error(
          ctx, HttpStatus.SERVICE_UNAVAILABLE, "no controller leads: a majority is not connected");
    } else {
      redirect(ctx, leader);
    }
  }

  private void redirect(Context ctx, Node to) {
    String query = ctx.queryString() == null ? "" : "?" + ctx.queryString();
    String there = (web.encrypts() ? "https://" : "http://") + to.api() + ctx.path() + query;
    if (Forward.isWanted(ctx)) {
      forward.pass(ctx, URI.create(there));
    } else {
      ctx.header(Header.LOCATION, there).status(HttpStatus.TEMPORARY_REDIRECT);
    }
  }

  /** The address with its port. */
  public int port() {
    return server.port();
  }

  /** How many connections there are. */
  int connections() {
    return web.connections();
  }

  @Override
  public void close() {
    streams.close();
    server.stop();
  }
}
