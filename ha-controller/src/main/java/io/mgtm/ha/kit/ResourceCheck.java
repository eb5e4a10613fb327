package io.mgtm.ha.kit;

import java.util.Map;
import java.util.Optional;

/** Knows which kits there are and what each must be told. */
public interface ResourceCheck {

  /** Takes every kit and parameter. */
  ResourceCheck NONE = (kit, parameters) -> Optional.empty();

  /**
   * What is wrong with a resource as one node would have it.
   *
   * @return the key at fault (a parameter's name, or empty for the kit itself) and a sentence
   */
  Optional<Problem> problem(String kit, Map<String, String> parameters);

  /** One thing that is wrong. */
  record Problem(String parameter, String sentence) {}
}
