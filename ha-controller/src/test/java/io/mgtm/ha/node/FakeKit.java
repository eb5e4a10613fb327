package io.mgtm.ha.node;

import io.mgtm.ha.kit.GuardStep;
import io.mgtm.ha.kit.Kit;
import io.mgtm.ha.kit.KitContext;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A kit whose resources are names in a set, which outlive the controllers. Any thread. */
final class FakeKit implements Kit {
  private final Set<String> inService = ConcurrentHashMap.newKeySet();

  /** Where a resource is in service, as {@code node/resource}. */
  Set<String> inService() {
    return Set.copyOf(inService);
  }

  /** Breaks what is in service, as a crash does. */
  void crash(String node, String resource) {
    inService.remove(node + "/" + resource);
  }

  private static String key(KitContext context) {
    return context.node() + "/" + context.resource();
  }

  @Override
  public String name() {
    return "fake";
  }

  @Override
  public List<Parameter> parameters() {
    return List.of();
  }

  @Override
  public void inService(KitContext context) {
    inService.add(key(context));
  }

  @Override
  public void outOfService(KitContext context) {
    inService.remove(key(context));
  }

  @Override
  public Health quickCheck(KitContext context) {
    return inService.contains(key(context)) ? Health.in("") : Health.out("");
  }

  @Override
  public List<GuardStep> guard(KitContext context) {
    return List.of();
  }
}
