package io.mgtm.block.link;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.block.intent.Opening;
import io.mgtm.block.volume.Generations;
import io.mgtm.block.volume.Identity;
import io.mgtm.block.volume.Meeting.Outcome;
import io.mgtm.block.volume.Openings;
import io.mgtm.block.volume.Role;
import io.mgtm.block.volume.Standing;
import io.mgtm.block.volume.Testimony;
import java.util.List;
import java.util.Map;

/** Identities and refusals as JSON, so that people and older versions can read them. */
final class Hello {
  static final int PROTOCOL = 2;

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
      String syncingFrom,
      String volumeId,
      Openings openings,
      Map<String, Opening> heard) {}

  /**
   * A refusal.
   *
   * @param outcome its kind
   * @param reason its reason
   * @param node who refuses, or an empty string when that is not told
   */
  record Refusal(Outcome outcome, String reason, String node) {}

  private Hello() {}

  /** An answer to an inquiry. */
  private record Answer(Introduction copy, boolean handsOver) {}

  static byte[] write(Identity identity) {
    return bytes(introduction(identity));
  }

  static byte[] write(Identity identity, boolean handsOver) {
    return bytes(new Answer(introduction(identity), handsOver));
  }

  private static Introduction introduction(Identity identity) {
    return new Introduction(
        PROTOCOL,
        identity.volume(),
        identity.nodeId(),
        identity.sizeBytes(),
        identity.chunkBytes(),
        identity.role(),
        identity.generations().ids(),
        identity.consistent(),
        identity.discard(),
        identity.tracksPeer(),
        identity.syncingFrom(),
        identity.volumeId(),
        identity.openings(),
        identity.heard());
  }

  static Identity read(byte[] json) throws LinkException {
    try {
      return identity(JSON.readValue(json, Introduction.class));
    } catch (java.io.IOException | IllegalArgumentException | NullPointerException e) {
      throw unreadable(e);
    }
  }

  static Testimony readTestimony(String peer, byte[] json) throws LinkException {
    try {
      Answer answer = JSON.readValue(json, Answer.class);
      return new Testimony(peer, identity(answer.copy()), answer.handsOver(), "");
    } catch (java.io.IOException | IllegalArgumentException | NullPointerException e) {
      throw unreadable(e);
    }
  }

  private static LinkException unreadable(Exception e) {
    return new LinkException(
        "the other side's introduction cannot be read: " + PeerText.of("" + e.getMessage()));
  }

  private static Identity identity(Introduction it) throws LinkException {
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
        || it.syncingFrom() == null
        || !it.syncingFrom().matches("[0-9A-Za-z-]{0,64}")
        || it.volume() == null
        || !it.volume().matches("[A-Za-z0-9._-]{1,64}")
        || it.volumeId() == null
        || it.volumeId().length() > Standing.ID_LENGTH_MAX) {
      throw new LinkException("the other side's introduction lacks its node, role or generations");
    }
    return new Identity(
        it.volume(),
        it.node(),
        it.sizeBytes(),
        it.chunkBytes(),
        it.role(),
        new Generations(it.generations()),
        it.consistent(),
        it.discard(),
        it.tracksPeer(),
        it.syncingFrom(),
        it.volumeId(),
        it.openings() == null ? Openings.NONE : it.openings(),
        it.heard() == null ? Map.of() : it.heard());
  }

  static byte[] write(Outcome outcome, String reason, String node) {
    return bytes(new Refusal(outcome, reason, node));
  }

  static Refusal readRefusal(byte[] json) throws LinkException {
    try {
      Refusal refusal = JSON.readValue(json, Refusal.class);
      if (refusal == null || refusal.outcome() == null || refusal.reason() == null) {
        throw new LinkException("the other side refused without a reason");
      }
      return new Refusal(
          refusal.outcome(),
          PeerText.of(refusal.reason()),
          refusal.node() == null ? "" : refusal.node());
    } catch (java.io.IOException e) {
      throw new LinkException(
          "the other side's refusal cannot be read: " + PeerText.of("" + e.getMessage()));
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
