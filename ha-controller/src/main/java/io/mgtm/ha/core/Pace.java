package io.mgtm.ha.core;

import io.mgtm.ha.model.Resource;
import java.util.Map;

/**
 * How often a resource is checked, and how long its calls may take; milliseconds. Parameters of
 * these names in a resource's configuration replace the defaults, whatever its kit.
 */
record Pace(long quickCheckMs, long deepCheckMs, long startMs, long stopMs, long checkMs) {

  static Pace of(Resource resource, String node) {
    Map<String, String> parameters = resource.parametersOn(node);
    return new Pace(
        number(parameters, "quickCheckMs", 2_000),
        number(parameters, "deepCheckMs", 15_000),
        number(parameters, "startMs", 60_000),
        number(parameters, "stopMs", 60_000),
        number(parameters, "checkMs", 10_000));
  }

  long deadlineMs(Call.Kind kind) {
    return switch (kind) {
      case IN_SERVICE -> startMs;
      case OUT_OF_SERVICE -> stopMs;
      case RECOVER -> startMs + stopMs;
      case QUICK_CHECK, DEEP_CHECK, END -> checkMs;
    };
  }

  private static long number(Map<String, String> parameters, String key, long otherwise) {
    try {
      return Math.max(1, Long.parseLong(parameters.getOrDefault(key, "" + otherwise)));
    } catch (NumberFormatException e) {
      return otherwise;
    }
  }
}
