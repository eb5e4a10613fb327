package io.mgtm.ha.core;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A command, and why.
 *
 * @param by who decided: {@link #BY_ITSELF}, or an operator's name
 * @param cause one sentence
 * @param observations what it rests on: subject and what was seen of it, in the order of their
 *     weight
 */
public record Decision(
    ClusterCommand command, String by, String cause, Map<String, String> observations) {
  public static final String BY_ITSELF = "controller";

  /** Keeps the map immutable and in its order. */
  public Decision {
    observations = Collections.unmodifiableMap(new LinkedHashMap<>(observations));
  }
}
