package io.mgtm.ha.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.mgtm.ha.core.ClusterCommand.Scope;

/** Bodies of requests. */
final class Request {
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private Request() {}

  /**
   * Of an action on a hierarchy.
   *
   * @param node where it shall be in service; empty to let the controller choose
   * @param acceptLoss that the node's copy may lack acknowledged writes
   */
  record Act(String node, boolean acceptLoss) {
    Act {
      node = node == null ? "" : node;
    }
  }

  /** Of a beginning or ending maintenance. */
  record Maintenance(Scope scope, String name, boolean on) {
    Maintenance {
      name = name == null ? "" : name;
      if (scope == null) {
        throw new IllegalArgumentException("scope is missing: CLUSTER, NODE or HIERARCHY");
      }
    }
  }

  static <T> T read(String body, Class<T> type) {
    try {
      T value = JSON.readValue(body.isBlank() ? "{}" : body, type);
      if (value == null) {
        throw new ApiServer.BadRequest("the body is null, expected a JSON object");
      }
      return value;
    } catch (JsonProcessingException e) {
      throw new ApiServer.BadRequest("the body is not as expected: " + e.getOriginalMessage());
    }
  }
}
