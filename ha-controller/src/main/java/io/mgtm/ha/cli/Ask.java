package io.mgtm.ha.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.common.HostPort;
import io.mgtm.common.SecretFile;
import io.mgtm.ha.api.OperatorToken;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Option;

/** How commands ask a controller that runs. */
final class Ask {
  static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration ANSWER = Duration.ofSeconds(40);

  @Option(
      names = "--at",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:7902",
      description = "Any controller of the cluster. Default: ${DEFAULT-VALUE}.")
  private HostPort at;

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      description = "The cluster's secret, needed to ask from another machine.")
  private Path secretFile;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  JsonNode get(String path) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(uri(path)));
  }

  JsonNode post(String path, Object body) throws IOException, InterruptedException {
    return post(path, JSON.writeValueAsString(body));
  }

  JsonNode post(String path, String body) throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(uri(path))
            .header("Mgtm-Operator", System.getProperty("user.name", "operator"))
            .POST(BodyPublishers.ofString(body)));
  }

  private URI uri(String path) {
    return URI.create("http://" + at + path);
  }

  private JsonNode send(HttpRequest.Builder request) throws IOException, InterruptedException {
    if (secretFile != null) {
      request.header(
          "Authorization",
          "Bearer " + OperatorToken.of(SecretFile.firstLine("--secret-file", secretFile)));
    }
    HttpResponse<String> response;
    try {
      // Only the leading controller decides, and others say where it is.
      response =
          HttpClient.newBuilder()
              .connectTimeout(CONNECT)
              .followRedirects(HttpClient.Redirect.NORMAL)
              .build()
              .send(request.timeout(ANSWER).build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new IOException(
          "no answer from a controller at %s (%s); see --at, and whether ./mgtm ha start runs there"
              .formatted(
                  at, e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage()),
          e);
    }
    JsonNode answer = JSON.readTree(response.body());
    if (response.statusCode() != 200) {
      throw new IOException(answer.path("error").asText("status " + response.statusCode()));
    }
    return answer;
  }

  /** Whether JSON was wanted, which is printed then. */
  boolean printed(JsonNode answer, PrintWriter out) {
    if (json) {
      out.println(answer.toPrettyString());
      out.flush();
    }
    return json;
  }
}
