package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.common.HostPort;
import io.mgtm.query.local.LocalProgram;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Runs PostgreSQL's programs, each with a bound on its time. */
final class Tools {
  static final Path PROGRAMS = Path.of("/usr/lib/postgresql/15/bin");

  /** Of the servers of tests; those for clients are {@link #PROGRAMS} in any case. */
  static final Path SERVERS = Path.of(System.getProperty("mgtm.postgres", PROGRAMS.toString()));

  private Tools() {}

  /** A program's end. */
  record Result(int code, String output) {
    Result succeeded() {
      assertThat(code).as("exit code, output:%n%s", output).isZero();
      return this;
    }
  }

  /** Skips the class, and says why, where there is no PostgreSQL 15. */
  static void needPostgres() {
    boolean there = Files.isExecutable(PROGRAMS.resolve("initdb"));
    if (!there) {
      System.out.println("SKIPPED: PostgreSQL 15 is not installed");
    }
    Assumptions.assumeTrue(there, "PostgreSQL 15 is not installed");
  }

  static Result run(Path folder, Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    LocalProgram.Result result = LocalProgram.run(folder, environment, command);
    return new Result(result.status(), result.output());
  }

  /** A folder with all that is in it. */
  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path one : all.toList()) {
        Files.copy(one, to.resolve(from.relativize(one).toString()));
      }
    }
  }

  /** By which a page of an admin endpoint is asked for. */
  static String method(String path) {
    return path.matches("/(repair|add-server|promote|remove-server)\\b.*") ? "POST" : "GET";
  }

  /** The value of one metric. */
  static long metric(HostPort admin, String name) throws IOException, InterruptedException {
    String page =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create("http://" + admin + "/metrics")).build(),
                HttpResponse.BodyHandlers.ofString())
            .body();
    List<String> found = page.lines().filter(line -> line.startsWith(name + " ")).toList();
    assertThat(found).as("%s in %s", name, page).hasSize(1);
    return (long) Double.parseDouble(found.get(0).substring(name.length() + 1));
  }

  /** What an admin endpoint answers, after so many requests as it takes. */
  static JsonNode ask(HostPort admin, String path) throws IOException, InterruptedException {
    HttpClient http = HttpClient.newHttpClient();
    String next = path;
    HttpResponse<String> response;
    do {
      URI uri = URI.create("http://" + admin + next);
      response =
          http.send(
              HttpRequest.newBuilder(uri)
                  .method(method(next), HttpRequest.BodyPublishers.noBody())
                  .timeout(Duration.ofSeconds(60))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      next = response.headers().firstValue("Location").orElse("");
    } while (response.statusCode() == 202);
    return new ObjectMapper().readTree(response.body());
  }
}
