package io.mgtm.common;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.Map;

/**
 * What a request is answered with.
 *
 * @param status of HTTP
 * @param type of the body
 */
record HttpAnswer(int status, String type, String body, Map<String, String> headers) {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static HttpAnswer jsonText(int status, String text) {
    return new HttpAnswer(status, "application/json", text + "\n", Map.of());
  }

  /** What Jackson writes of a value. */
  static HttpAnswer json(int status, Object value) throws JsonProcessingException {
    return jsonText(status, JSON.writeValueAsString(value));
  }

  /** A sentence of what is wrong. */
  static HttpAnswer error(int status, String what) {
    return jsonText(status, JsonNodeFactory.instance.objectNode().put("error", what).toString());
  }

  /** The same with a header. */
  HttpAnswer with(String header, String value) {
    return new HttpAnswer(status, type, body, Map.of(header, value));
  }
}
