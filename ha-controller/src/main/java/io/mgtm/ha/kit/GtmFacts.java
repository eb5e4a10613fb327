package io.mgtm.ha.kit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a GTM node says at {@code /status}, in a few words: {@code member}, {@code mode}, {@code
 * role}, {@code leader}, {@code term}, {@code committed}, {@code durability}, {@code sessions} and
 * {@code trouble}; of each member {@code member.NAME}, whether it votes, whether it is connected,
 * and its lag in entries; of who connects {@code gateway.N} and {@code node.TYPE.NAME}, {@code
 * connected} or {@code away}.
 */
final class GtmFacts {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MEMBERS_MAX = 9;
  private static final int CONNECTING_MAX = 16;

  private GtmFacts() {}

  static Map<String, String> of(String page) {
    JsonNode read;
    try {
      read = JSON.readTree(page);
    } catch (JsonProcessingException e) {
      return Map.of("trouble", "its status cannot be read");
    }
    JsonNode status = read.path("status");
    Map<String, String> facts = new LinkedHashMap<>();
    for (String name :
        new String[] {"member", "mode", "role", "leader", "term", "durability", "sessions"}) {
      facts.put(name, status.path(name).asText());
    }
    facts.put("committed", status.path("committedIndex").asText());
    facts.put("trouble", status.path("trouble").asText());
    putMembers(facts, status.path("members"), "lagEntries");
    int gateways = 0;
    for (JsonNode gateway : read.path("gateways")) {
      if (++gateways <= CONNECTING_MAX) {
        facts.put("gateway." + gateways, gateway.asText());
      }
    }
    int nodes = 0;
    for (JsonNode node : read.path("nodes")) {
      if (++nodes <= CONNECTING_MAX) {
        facts.put(
            "node." + node.path("type").asText() + "." + node.path("name").asText(),
            node.path("connected").asBoolean() ? "connected" : "away");
      }
    }
    facts.values().removeIf(String::isEmpty);
    return facts;
  }

  /**
   * Adds what is known of each member of a group.
   *
   * @param lag the field with its lag in entries
   */
  static void putMembers(Map<String, String> facts, JsonNode members, String lag) {
    int count = 0;
    for (JsonNode member : members) {
      if (++count <= MEMBERS_MAX) {
        facts.put("member." + member.path("name").asText(), member(member, lag));
      }
    }
  }

  private static String member(JsonNode member, String lag) {
    String kind =
        member.path("witness").asBoolean()
            ? "witness"
            : member.path("voter").asBoolean() ? "voter" : "joining";
    return "%s %s %d"
        .formatted(
            kind,
            member.path("connected").asBoolean() ? "connected" : "away",
            member.path(lag).asLong(-1));
  }
}
