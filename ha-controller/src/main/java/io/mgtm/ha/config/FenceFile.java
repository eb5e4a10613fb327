package io.mgtm.ha.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.common.ConfigException;
import io.mgtm.ha.kit.FenceAgent;
import io.mgtm.ha.kit.ResourceCheck;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The keys of a file that say how a node is switched off from outside. */
final class FenceFile {
  private static final int TIMEOUT_MS = 30_000;

  private final YamlText yaml;

  FenceFile(YamlText yaml) {
    this.yaml = yaml;
  }

  /** By node. */
  Map<String, FenceAgent> agents() throws ConfigException {
    Map<String, FenceAgent> agents = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> node : yaml.root().path("nodes").properties()) {
      JsonNode set = node.getValue().path("fence");
      if (set.isMissingNode()) {
        continue;
      }
      String at = at(node.getKey());
      if (node.getValue().path("witness").asBoolean()) {
        throw yaml.error(at, "a witness has nothing that is taken over");
      }
      FenceAgent agent = agent(set);
      Optional<ResourceCheck.Problem> wrong = agent.wrong();
      if (wrong.isPresent()) {
        throw yaml.error(at + "/" + wrong.get().parameter(), wrong.get().sentence());
      }
      agents.put(node.getKey(), agent);
    }
    return agents;
  }

  static String at(String node) {
    return "/nodes/" + node + "/fence";
  }

  private static FenceAgent agent(JsonNode set) {
    Map<String, String> parameters = new LinkedHashMap<>();
    set.path("parameters")
        .properties()
        .forEach(one -> parameters.put(one.getKey(), one.getValue().asText()));
    return new FenceAgent(
        set.get("agent").asText(),
        parameters,
        Optional.ofNullable(set.get("parametersFile")).map(file -> Path.of(file.asText())),
        set.path("timeoutMs").asInt(TIMEOUT_MS));
  }
}
