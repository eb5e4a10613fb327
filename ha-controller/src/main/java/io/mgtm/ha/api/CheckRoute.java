package io.mgtm.ha.api;

import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import io.mgtm.ha.core.Call;
import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.core.Placement;
import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.node.ClusterView;
import io.mgtm.ha.node.HaNode;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Has a resource checked at once and deeply, which the controller of the node does that has it in
 * service: another names that one. Any thread.
 */
final class CheckRoute {
  private static final int ANSWER_S = 30;

  private final HaNode node;
  private final Audit audit;
  private final BiConsumer<Context, Node> redirect;

  CheckRoute(HaNode node, Audit audit, BiConsumer<Context, Node> redirect) {
    this.node = node;
    this.audit = audit;
    this.redirect = redirect;
  }

  /** Answers with what was found. */
  void serve(Context ctx) {
    String hierarchy = ctx.pathParam("name");
    String resource = ctx.pathParam("resource");
    ClusterView view = node.view();
    ClusterState state = view.state();
    Hierarchy known = node.config().hierarchies().get(hierarchy);
    Placement placement = state.placements().get(hierarchy);
    if (known == null || placement == null || !known.resources().containsKey(resource)) {
      String asked = "no resource is named %s in %s".formatted(resource, hierarchy);
      ApiServer.error(ctx, HttpStatus.NOT_FOUND, Audit.clean(asked));
    } else if (placement.node().isEmpty()) {
      notInService(ctx, hierarchy, "any node");
    } else if (placement.node().equals(view.node())) {
      check(ctx, hierarchy, resource, view.node());
    } else if (state.silentNodes().contains(placement.node())) {
      ApiServer.error(
          ctx,
          HttpStatus.SERVICE_UNAVAILABLE,
          "%s has %s, and is silent: nobody can ask it".formatted(placement.node(), hierarchy));
    } else {
      redirect.accept(ctx, node.config().nodes().get(placement.node()));
    }
  }

  private static void notInService(Context ctx, String hierarchy, String where) {
    ApiServer.error(
        ctx,
        HttpStatus.CONFLICT,
        "%s is not in service on %s, so that nothing of it is checked; mgtm ha status says how it is"
            .formatted(hierarchy, where));
  }

  private void check(Context ctx, String hierarchy, String resource, String here) {
    long began = System.nanoTime();
    Optional<CompletableFuture<Call.Result>> check = node.checkNow(hierarchy, resource);
    if (check.isEmpty()) {
      notInService(ctx, hierarchy, here);
      return;
    }
    Call.Result found;
    try {
      found = check.get().orTimeout(ANSWER_S, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      found =
          new Call.Result(
              ResourceState.UNKNOWN, "it has not ended in %d s".formatted(ANSWER_S), Map.of());
    }
    long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    audit.asked(
        Access.of(ctx),
        "%s check of %s".formatted(hierarchy, resource),
        found.state() + " " + found.detail());
    ctx.json(
        Map.of(
            "hierarchy", hierarchy,
            "resource", resource,
            "node", here,
            "found", found.state(),
            "detail", found.detail(),
            "tookMs", tookMs));
  }
}
