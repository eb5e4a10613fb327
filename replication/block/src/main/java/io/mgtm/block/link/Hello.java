package io.mgtm.block.link;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.block.volume.Generations;
import io.mgtm.block.volume.Identity;
import io.mgtm.block.volume.Meeting.Outcome;
import io.mgtm.block.volume.Role;
import java.util.List;

/** Identities and refusals as JSON, so that people and older versions can read them. */
final class Hello {
  static final int PROTOCOL = 1;

  private static final ObjectMapper JSON =
      new ObjectMapper()
          .configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false)
          .configure(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES, true);

  private record Introduction(
      int protocol,
      String volume,
      String node,
      long sizeBytes,
      int chunkBytes,
      Role role,
      List<Long> generations,
      boolean consistent,
      boolean discard,
      boolean tracksPeer,
      String syncingFrom) {}

  /**
   * A refusal.
   *
   * @param outcome its kind
   * @param reason its reason
   */
  record Refusal(Outcome outcome, String reason) {}

  private Hello() {}

  static byte[] write(String volume, Identity identity) {
    return bytes(
        new Introduction(
            PROTOCOL,
            volume,
            identity.nodeId(),
            identity.sizeBytes(),
            identity.chunkBytes(),
            identity.role(),
            identity.generations().ids(),
            identity.consistent(),
            identity.discard(),
            identity.tracksPeer(),
            identity.syncingFrom()));
  }

  static Identity read(byte[] json) throws LinkException {
    try {
      Introduction it = JSON.readValue(json, Introduction.class);
      if (it == null || it.protocol() != PROTOCOL) {
        throw new LinkException(
            "the other side speaks version "
                + (it == null ? "none" : it.protocol())
                + " of the link, this side "
                + PROTOCOL);
      }
      if (it.node() == null
          || it.node().isEmpty()
          || it.node().length() > 64
          || !it.node().matches("[0-9A-Za-z-]+")
          || it.role() == null
          || it.generations() == null
          || it.syncingFrom() == null) {
        throw new LinkException(
            "the other side's introduction lacks its node, role or generations");
      }
      return new Identity(
          it.node(),
          it.sizeBytes(),
          it.chunkBytes(),
          it.role(),
          new Generations(it.generations()),
          it.consistent(),
          it.discard(),
          it.tracksPeer(),
          it.syncingFrom());
    } catch (java.io.IOException | IllegalArgumentException | NullPointerException e) {
      throw new LinkException("the other side's introduction cannot be read: " + e.getMessage());
    }
  }

  static byte[] write(Outcome outcome, String reason) {
    return bytes(new Refusal(outcome, reason));
  }

  static Refusal readRefusal(byte[] json) throws LinkException {
    try {
      Refusal refusal = JSON.readValue(json, Refusal.class);
      if (refusal == null || refusal.outcome() == null || refusal.reason() == null) {
        throw new LinkException("the other side refused without a reason");
      }
      return refusal;
    } catch (java.io.IOException e) {
      throw new LinkException("the other side's refusal cannot be read: " + e.getMessage());
    }
  }

  private static byte[] bytes(Object value) {
    try {
      return JSON.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an introduction cannot be written", e);
    }
  }
}
