package io.mgtm.ha.node;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Values of the core as JSON: entries and checkpoints of the log, messages between nodes. Any
 * thread.
 */
final class Codec {
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private Codec() {}

  static byte[] bytes(Object value) {
    try {
      return JSON.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("cannot be written as JSON: " + value.getClass(), e);
    }
  }

  /**
   * Reads what the log or a checkpoint holds.
   *
   * @throws LogException with FORMAT, since checksums have been verified: another version wrote it
   */
  static <T> T logged(ByteBuffer from, Class<T> type) {
    try {
      return message(from, type);
    } catch (IOException e) {
      throw new LogException(
          Category.FORMAT,
          "This version of mgtm cannot read %s of another one: %s; start the version that wrote it"
              .formatted(type.getSimpleName(), e.getMessage()),
          e);
    }
  }

  /** Reads what somebody has sent. */
  static <T> T message(ByteBuffer from, Class<T> type) throws IOException {
    byte[] bytes = new byte[from.remaining()];
    from.duplicate().get(bytes);
    return JSON.readValue(bytes, type);
  }
}
