package io.mgtm.ha.kit;

import io.mgtm.ha.kit.Kit.Parameter;
import io.mgtm.ha.model.Resource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The kits that there are, by name, and what their resources may be told. Any thread. */
public final class Kits {
  private static final Pattern NUMBER = Pattern.compile("[1-9]\\d{0,8}");

  private static final Map<String, Kit> KITS = new LinkedHashMap<>();

  static {
    for (Kit kit :
        List.of(
            new VolumeKit(),
            new FilesystemKit(),
            new IpKit(),
            new PostgresqlKit(),
            new MariadbKit(),
            new XcNodeKit(),
            ServerKit.gtm(),
            ServerKit.proxy(),
            ServerKit.query(),
            new ScriptKit())) {
      KITS.put(kit.name(), kit);
    }
  }

  private Kits() {}

  /** Their names; those of OCF agents are {@code ocf:PROVIDER:AGENT}. */
  public static Set<String> names() {
    return KITS.keySet();
  }

  /**
   * A kit by its name.
   *
   * @throws KitException when there is none; the message names the nearest
   */
  public static Kit of(String name) throws KitException {
    if (name.startsWith(OcfAgent.PREFIX)) {
      return new OcfKit(OcfAgent.parse(name));
    }
    Kit kit = KITS.get(name);
    if (kit == null) {
      throw new KitException(Nearest.unknown("kit", name, names()) + " and ocf:PROVIDER:AGENT");
    }
    return kit;
  }

  /** What is wrong with a resource as one node would have it; see {@link ResourceCheck}. */
  public static Optional<ResourceCheck.Problem> problem(String name, Map<String, String> given) {
    Kit kit;
    try {
      kit = of(name);
    } catch (KitException e) {
      return Optional.of(new ResourceCheck.Problem("", e.getMessage()));
    }
    Map<String, Parameter> known = new LinkedHashMap<>();
    kit.parameters().forEach(one -> known.put(one.name(), one));
    for (Map.Entry<String, String> one : given.entrySet()) {
      boolean pace = Resource.PACE.contains(one.getKey());
      if (pace && !NUMBER.matcher(one.getValue()).matches()) {
        return problem(one.getKey(), "expected milliseconds, not \"" + one.getValue() + "\"");
      }
      if (!pace && !known.containsKey(one.getKey())) {
        Set<String> names = new TreeSet<>(known.keySet());
        names.addAll(Resource.PACE);
        return problem(one.getKey(), Nearest.unknown("parameter", one.getKey(), names));
      }
    }
    for (Parameter one : known.values()) {
      if (one.required() && given.getOrDefault(one.name(), "").isBlank()) {
        return problem(one.name(), "is missing: " + one.meaning());
      }
    }
    return Optional.empty();
  }

  private static Optional<ResourceCheck.Problem> problem(String parameter, String sentence) {
    return Optional.of(new ResourceCheck.Problem(parameter, sentence));
  }
}
