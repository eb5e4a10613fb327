package io.mgtm.ha.node;

import io.mgtm.ha.kit.GuardStep;
import io.mgtm.ha.kit.Kit;
import io.mgtm.ha.kit.KitContext;
import io.mgtm.ha.kit.KitException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A kit whose resources are names in a set, which outlive the controllers. Any thread. */
final class FakeKit implements Kit {
  private final Set<String> inService = ConcurrentHashMap.newKeySet();
  private final AtomicInteger starts = new AtomicInteger();
  private final Map<String, String> broken = new ConcurrentHashMap<>();
  private final Map<String, String> ill = new ConcurrentHashMap<>();
  private final Map<String, Map<String, String>> data = new ConcurrentHashMap<>();

  /** Where a resource is in service, as {@code node/resource}. */
  Set<String> inService() {
    return Set.copyOf(inService);
  }

  /** How often anything was brought in service. */
  int starts() {
    return starts.get();
  }

  /** Breaks what is in service, as a crash does. */
  void crash(String node, String resource) {
    inService.remove(node + "/" + resource);
  }

  /** What is in service fails, and does not come in service there again. */
  void breaks(String node, String resource, String why) {
    broken.put(node + "/" + resource, why);
    crash(node, resource);
  }

  void mend(String node, String resource) {
    broken.remove(node + "/" + resource);
  }

  /** What only a deep check finds, once; it is repaired then. */
  void ails(String node, String resource, String what) {
    ill.put(node + "/" + resource, what);
  }

  /** What the kit knows of a resource on a node from now on. */
  void knows(String node, String resource, Map<String, String> facts) {
    data.put(node + "/" + resource, facts);
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
  public void inService(KitContext context) throws KitException {
    String why = broken.get(key(context));
    if (why != null) {
      throw new KitException(why);
    }
    starts.incrementAndGet();
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
  public Health deepCheck(KitContext context) {
    String what = ill.remove(key(context));
    return what == null ? quickCheck(context) : Health.failed(what);
  }

  @Override
  public Map<String, String> data(KitContext context) {
    return data.getOrDefault(key(context), Map.of());
  }

  @Override
  public List<GuardStep> guard(KitContext context) {
    return List.of();
  }
}
