package io.mgtm.bench.ha;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.bench.volume.Exec;
import io.mgtm.common.Hmac;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * What the controllers of a cluster answer over HTTP, asked by a program that runs where they are
 * reached. Any thread.
 */
public final class ControllerApi {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int PORT = 7902;
  private static final int EXEC_SECONDS = 60;

  private static final String ASK =
      "exec 3<>/dev/tcp/$1/$2; printf '%s %s HTTP/1.0\\r\\nAuthorization: Bearer %s\\r\\n"
          + "Content-Length: %d\\r\\n\\r\\n%s' \"$3\" \"$4\" \"$5\" ${#6} \"$6\" >&3; cat <&3";

  private final String hierarchy;
  private final String token;

  /**
   * Of a cluster with one hierarchy, whose volume is the resource {@code disk}.
   *
   * @param secret the cluster's
   */
  public ControllerApi(String hierarchy, String secret) {
    this.hierarchy = hierarchy;
    this.token = Hmac.hex(secret, "mgtm ha operators");
  }

  /**
   * Asks one; a missing node when it does not answer.
   *
   * @param where makes a command one that runs where the host is reached
   */
  JsonNode ask(
      UnaryOperator<List<String>> where, String host, String method, String path, String body)
      throws IOException, InterruptedException {
    List<String> command =
        List.of("bash", "-c", ASK, "ask", host, "" + PORT, method, path, token, body);
    String answer;
    try {
      answer = Exec.run(EXEC_SECONDS, where.apply(command));
    } catch (IOException e) {
      return JSON.missingNode();
    }
    int end = answer.indexOf("\r\n\r\n");
    return answer.contains(" 200 ") && end > 0
        ? JSON.readTree(answer.substring(end))
        : JSON.missingNode();
  }

  /** What one says of the cluster; a missing node when it does not answer. */
  public JsonNode status(UnaryOperator<List<String>> where, String host)
      throws IOException, InterruptedException {
    return ask(where, host, "GET", "/v1/status", "");
  }

  /** The node that has the hierarchy in service, as such a status says; empty when none has. */
  public String primary(JsonNode status) {
    String node = placement(status);
    return report(status, node).equals("IN") ? node : "";
  }

  /** Whether this one of these nodes has the hierarchy in service, and the others could have it. */
  public boolean inStep(JsonNode status, String primary, Collection<String> nodes) {
    JsonNode copies = status.path("state").path("copies").path(hierarchy).path("disk");
    List<String> usable = new ArrayList<>();
    copies.path("upToDate").forEach(n -> usable.add(n.asText()));
    copies.path("following").forEach(n -> usable.add(n.asText()));
    return usable.containsAll(nodes)
        && placement(status).equals(primary)
        && nodes.stream().allMatch(n -> report(status, n).equals(n.equals(primary) ? "IN" : "OUT"));
  }

  private String placement(JsonNode status) {
    JsonNode placements = status.path("state").path("placements");
    return placements.path(hierarchy).path("node").asText();
  }

  private String report(JsonNode status, String node) {
    JsonNode reports = status.path("nodes").path(node).path("reports");
    return reports.path(hierarchy).path("state").asText();
  }
}
