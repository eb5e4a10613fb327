package io.mgtm.ha.kit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a query replicator says at {@code /status}, in a few words. Of its group {@code name},
 * {@code role}, {@code term}, {@code leads} and {@code trouble}, which may be the first of its
 * warnings; where it serves, {@code leader}, {@code serversIn}, {@code serversMin}, {@code
 * sessions} and {@code adding}; of each server {@code server.HOST:PORT}, its state, version,
 * requests that run, how far it is behind (-1 when not known) and its reads, and {@code
 * why.HOST:PORT} of one that is out; of each member {@code member.NAME}, whether it votes, whether
 * it is connected, and its lag in entries.
 */
final class QueryFacts {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int SERVERS_MAX = 16;

  private QueryFacts() {}

  static Map<String, String> of(String page) {
    JsonNode status;
    try {
      status = JSON.readTree(page);
    } catch (JsonProcessingException e) {
      return Map.of("trouble", "its status cannot be read");
    }
    Map<String, String> facts = new LinkedHashMap<>();
    JsonNode group = status.path("group");
    for (String name : new String[] {"name", "role", "term"}) {
      facts.put(name, group.path(name).asText());
    }
    String trouble = group.path("trouble").asText();
    facts.put("trouble", trouble.isEmpty() ? group.path("warnings").path(0).asText() : trouble);
    facts.put("leads", group.path("leader").asText());
    for (String name : new String[] {"leader", "serversIn", "serversMin", "sessions", "adding"}) {
      facts.put(name, status.path(name).asText());
    }
    int servers = 0;
    for (JsonNode server : status.path("servers")) {
      if (++servers <= SERVERS_MAX) {
        facts.put("server." + server.path("server").asText(), server(server));
      }
    }
    GtmFacts.putMembers(facts, group.path("members"), "behind");
    // These may be long, and what comes last is left out first where there is no room.
    servers = 0;
    for (JsonNode server : status.path("servers")) {
      if (++servers <= SERVERS_MAX && !server.path("why").isNull()) {
        facts.put("why." + server.path("server").asText(), server.path("why").asText());
      }
    }
    facts.values().removeIf(String::isEmpty);
    return facts;
  }

  private static String server(JsonNode server) {
    return "%s %s %d %d %d"
        .formatted(
            server.path("state").asText(),
            server.path("version").asText("").isBlank() ? "-" : server.path("version").asText(),
            server.path("running").asLong(),
            server.path("behind").asLong(-1),
            server.path("reads").asLong());
  }
}
