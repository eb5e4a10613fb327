package io.mgtm.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.common.ConnectionErrors;
import io.mgtm.common.HostPort;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm proxy status}: whether a proxy serves, and what it is connected to. */
@Command(
    name = "status",
    description = "Shows whether a proxy serves, and its GTM; asks where its metrics are.",
    mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Spec private CommandSpec spec;

  @Option(
      names = "--metrics",
      paramLabel = "HOST:PORT",
      required = true,
      description = "Where the proxy serves its metrics.")
  private HostPort metrics;

  @Option(names = "--json", description = "Prints one line of JSON.")
  private boolean json;

  @Option(
      names = "--timeout-ms",
      paramLabel = "MS",
      defaultValue = "5000",
      description = "How long to wait for an answer. Default: 5000.")
  private int timeoutMs;

  /** The JSON field names are stable. */
  record Status(
      boolean serving,
      String detail,
      long connections,
      long commands,
      long outstanding,
      long repeated,
      long sessionsLost,
      long leaderChanges) {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    String said = get("/health");
    String text = get("/metrics");
    if (!text.contains("mgtm_gateway_commands_total")) {
      throw noAnswer("what listens there is no proxy", null);
    }
    JsonNode health = JSON.readTree(said);
    boolean up = "up".equals(health.path("status").asText());
    Status status =
        new Status(
            up,
            health.path(up ? "detail" : "reason").asText(),
            metric(text, "mgtm_gateway_connections_opened_total")
                - metric(text, "mgtm_gateway_connections_closed_total"),
            metric(text, "mgtm_gateway_commands_total"),
            metric(text, "mgtm_gateway_outstanding"),
            metric(text, "mgtm_gateway_repeated_total"),
            metric(text, "mgtm_gateway_sessions_lost_total"),
            metric(text, "mgtm_gateway_pause_seconds_count"));
    PrintWriter out = spec.commandLine().getOut();
    out.print(json ? JSON.writeValueAsString(status) + "\n" : text(status));
    out.flush();
    return up ? 0 : 1;
  }

  private String get(String path) throws IOException, InterruptedException {
    HttpClient client =
        HttpClient.newBuilder().connectTimeout(Duration.ofMillis(timeoutMs)).build();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + metrics + path))
            .timeout(Duration.ofMillis(timeoutMs))
            .build();
    try {
      return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    } catch (IOException e) {
      throw noAnswer(ConnectionErrors.reason(e), e);
    }
  }

  private IOException noAnswer(String why, IOException cause) {
    return new IOException(
        "no answer from a proxy at %s (%s); see --metrics, and whether it runs there"
            .formatted(metrics, why),
        cause);
  }

  private static long metric(String text, String name) {
    return text.lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElse(0);
  }

  private static String text(Status s) {
    StringBuilder out = new StringBuilder();
    line(out, "proxy", s.serving() ? "serving" : "not serving");
    line(out, s.serving() ? "connected to" : "reason", s.detail());
    line(out, "connections", s.connections());
    line(out, "commands", s.commands() + ", " + s.outstanding() + " without a reply now");
    line(out, "leader changes", s.leaderChanges() + ", " + s.repeated() + " commands repeated");
    line(out, "sessions lost", s.sessionsLost());
    return out.toString();
  }

  private static void line(StringBuilder out, String name, Object value) {
    out.append(String.format(Locale.ROOT, "%-15s %s\n", name, value));
  }
}
