package io.mgtm.query.suite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.common.HostPort;
import io.mgtm.query.local.LocalProgram;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares the classes that the replicator gives statements with what PostgreSQL's parser reads.
 */
final class ClassCheck {
  /** Of a statement in a URL; few are longer. */
  private static final int LENGTH_MAX = 2_000;

  private final Path folder;
  private final Set<String> steady;
  private final HttpClient http = HttpClient.newHttpClient();
  private final ObjectMapper json = new ObjectMapper();
  private final List<String> contradictions = new ArrayList<>();
  private int statements;
  private int reads;
  private int keyLocal;

  /**
   * A check.
   *
   * @param folder with the program parse-trees
   * @param steady the functions of PostgreSQL's that are not volatile
   */
  ClassCheck(Path folder, Set<String> steady) {
    this.folder = folder;
    this.steady = steady;
  }

  /** The statements of a script, in a database that has what the script has made. */
  void compare(HostPort admin, String database, PsqlScript script)
      throws IOException, InterruptedException {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < script.size(); i++) {
      String piece = script.piece(i);
      if (piece.length() < LENGTH_MAX && piece.chars().allMatch(c -> c < 128)) {
        texts.add(piece);
      }
    }
    Path input = folder.resolve("statements");
    Files.writeString(input, String.join("\0", texts) + "\0", StandardCharsets.UTF_8);
    String program = folder.resolve("parse-trees") + " < " + input;
    String[] trees =
        LocalProgram.succeed(folder, Map.of(), List.of("bash", "-c", program)).split("\0", -1);
    for (int i = 0; i < texts.size(); i++) {
      if (!trees[i].isEmpty()) {
        compare(admin, database, texts.get(i), new ParseTree(json.readTree(trees[i])));
      }
    }
  }

  private void compare(HostPort admin, String database, String text, ParseTree tree)
      throws IOException, InterruptedException {
    String query =
        "/explain?database=%s&sql=%s"
            .formatted(database, URLEncoder.encode(text, StandardCharsets.UTF_8));
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(URI.create("http://" + admin + query))
                .timeout(Duration.ofSeconds(60))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      return; // It is refused as a whole.
    }
    JsonNode classes = json.readTree(answer.body());
    if (classes.size() != tree.statements()) {
      contradictions.add(
          "%d statements, and not %d: %s".formatted(classes.size(), tree.statements(), text));
      return;
    }
    for (int i = 0; i < classes.size(); i++) {
      String its = classes.get(i).path("class").asText();
      String why = whyNot(its, tree, i);
      if (why != null) {
        contradictions.add("%s, but %s: %s".formatted(its, why, text));
      }
    }
  }

  private String whyNot(String its, ParseTree tree, int number) {
    statements++;
    return switch (its) {
      case "READ" -> {
        reads++;
        yield tree.whyNotRead(number, steady);
      }
      case "KEY_LOCAL" -> {
        keyLocal++;
        yield tree.whyNotKeyLocal(number);
      }
      default -> null;
    };
  }

  /** Each statement of a wrong class, with why. */
  List<String> contradictions() {
    return contradictions;
  }

  /** What was found, in a sentence. */
  String text() {
    return "Of %d statements that libpg_query reads, the replicator takes %d for reads and %d for key-local ones; %s."
        .formatted(
            statements,
            reads,
            keyLocal,
            contradictions.isEmpty()
                ? "all of them are"
                : contradictions.size() + " of them are not");
  }
}
