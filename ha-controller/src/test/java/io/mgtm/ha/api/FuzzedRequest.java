package io.mgtm.ha.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.common.HostPort;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A request drawn for an operation of the description: mostly what it asks for, and something wrong
 * with it.
 */
final class FuzzedRequest {
  private final byte[] head;
  private final byte[] body;

  private FuzzedRequest(byte[] head, byte[] body) {
    this.head = head;
    this.body = body;
  }

  RawHttp.Answer sendTo(HostPort server) throws IOException {
    return RawHttp.send(server, head, body);
  }

  private static final List<String> WORDS =
      List.of(
          "orders",
          "a",
          "start",
          "stop",
          "switchover",
          "1",
          "-1",
          "0",
          "9223372036854775808",
          "1e3",
          "",
          ".",
          "..",
          "%00",
          "%2F",
          "%2e%2e",
          "%0d%0aX: y",
          "%E2%82%AC",
          "%ff",
          "%zz",
          "%",
          ";x=1",
          "a b",
          "\"",
          "<script>",
          "{id}",
          "\u00e4",
          "x".repeat(300),
          "y".repeat(9000));

  private static final List<String> VALUES =
      List.of(
          "null",
          "true",
          "false",
          "0",
          "-1",
          "1.5",
          "1e999",
          "NaN",
          "\"\"",
          "\"a\"",
          "\"orders\"",
          "\"CLUSTER\"",
          "\"NODE\"",
          "\"cluster\"",
          "[]",
          "{}",
          "[{}]",
          "{\"a\":{}}",
          "\"\\u0000\"",
          "\"\\ud800\"",
          "\"\u20ac\u202e\"",
          "\"true\"",
          "\"" + "z".repeat(100_000) + "\"",
          "9".repeat(2_000),
          "[".repeat(5_000));

  private static final List<String> WHOLE =
      List.of(
          "",
          " ",
          "null",
          "[]",
          "{",
          "}",
          "{}{}",
          "{\"a\"",
          "{'a':1}",
          "{\"on\":true,\"on\":false}",
          "// x\n{}",
          "[".repeat(50_000),
          "{\"a\":".repeat(3_000),
          "\ufeff{}",
          "\0",
          "a: [",
          "a: b: c",
          "\t- x",
          "&a [*a, *a]",
          "!!java.net.URL [\"http://127.0.0.1\"]",
          "cluster: [1, 2]",
          "cluster: x\ncluster: y",
          "cluster: x\nnodes: {}",
          "nodes: {a: 1}\ncluster: \"\"",
          "tls: {certificate: \"a\\0b\", key: k}\ncluster: x\nnodes: {a: {addresses: [h]}}",
          "? {a: b}\n: c",
          "---\na: 1\n---\nb: 2",
          "%YAML 9.9\n---\nx",
          "a: " + "[".repeat(5_000));

  private static final List<String> TYPES =
      List.of("application/json", "application/yaml", "text/plain", "", "x", "multipart/form-data");

  /**
   * Draws one.
   *
   * @param operation the description's, or a missing node where it has none
   * @param yaml a configuration that is right
   */
  static FuzzedRequest draw(
      Random random, String method, String path, JsonNode operation, String yaml) {
    StringBuilder target = new StringBuilder();
    for (String segment : path.substring(1).split("/", -1)) {
      target.append('/').append(segment.startsWith("{") ? name(random) : segment);
    }
    if (random.nextInt(8) == 0) {
      target.append(
          one(
              random,
              List.of(
                  "/", "//", "/x", "%00", "?after=x", "?after=" + "9".repeat(30), "?=&;", "?%zz")));
    } else if (!operation.path("parameters").findValues("after").isEmpty()) {
      target.append("?after=").append(word(random));
    }
    byte[] body = method.equals("GET") ? new byte[0] : body(random, operation, yaml);
    String length =
        switch (random.nextInt(30)) {
          case 0 -> "Content-Length: " + (body.length + 5) + "\r\n";
          case 1 -> "Content-Length: -1\r\n";
          case 2 -> "Content-Length: 99999999999\r\n";
          case 3 -> "Transfer-Encoding: chunked\r\n";
          case 4 -> "";
          default -> "Content-Length: " + body.length + "\r\n";
        };
    String type = random.nextInt(4) > 0 ? type(operation) : one(random, TYPES);
    String extra =
        random.nextInt(10) > 0
            ? ""
            : one(
                random,
                List.of(
                    "Mgtm-Operator: \u00e4\u00f6\r\n",
                    "Authorization: Bearer x\r\n",
                    "Authorization: \r\n",
                    "Origin: null\r\n",
                    "Accept: text/html\r\n",
                    "Cookie: " + "c".repeat(4_000) + "\r\n",
                    "X: " + "h".repeat(20_000) + "\r\n",
                    "Expect: 100-continue\r\n",
                    "No-Colon\r\n"));
    String head =
        method
            + " "
            + target
            + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            + (type.isEmpty() ? "" : "Content-Type: " + type + "\r\n")
            + length
            + extra
            + "\r\n";
    return new FuzzedRequest(head.getBytes(random.nextBoolean() ? UTF_8 : ISO_8859_1), body);
  }

  private static String type(JsonNode operation) {
    var types = operation.path("requestBody").path("content").fieldNames();
    return types.hasNext() ? types.next() : "";
  }

  private static byte[] body(Random random, JsonNode operation, String yaml) {
    JsonNode json = operation.path("requestBody").path("content").path("application/json");
    byte[] whole =
        switch (random.nextInt(4)) {
          case 0 -> one(random, WHOLE).getBytes(UTF_8);
          case 1 ->
              type(operation).contains("yaml")
                  ? yaml.getBytes(UTF_8)
                  : object(random).getBytes(UTF_8);
          default -> json.isMissingNode() ? mutated(random, yaml) : object(random).getBytes(UTF_8);
        };
    int cut = random.nextInt(6);
    if (cut == 0) {
      return Arrays.copyOf(whole, random.nextInt(whole.length + 1));
    }
    if (cut == 1 && whole.length > 0) {
      whole[random.nextInt(whole.length)] = (byte) random.nextInt(256);
    }
    return whole;
  }

  private static String object(Random random) {
    StringBuilder object = new StringBuilder("{");
    for (String field : List.of("node", "acceptLoss", "scope", "name", "on", "x")) {
      if (random.nextInt(field.equals("x") ? 8 : 2) == 0) {
        object
            .append(object.length() == 1 ? "" : ",")
            .append('"')
            .append(field)
            .append("\":")
            .append(one(random, VALUES));
      }
    }
    return object.append('}').toString();
  }

  /** A configuration some of whose words are others. */
  private static byte[] mutated(Random random, String yaml) {
    String[] words = yaml.split("(?<=[ \n:,])|(?=[ \n:,])", -1);
    for (int i = random.nextInt(3); i >= 0; i--) {
      words[random.nextInt(words.length)] = one(random, VALUES);
    }
    return String.join("", words).getBytes(UTF_8);
  }

  /** Without one it is another path. */
  private static String name(Random random) {
    String drawn = word(random);
    return drawn.isEmpty() ? "a" : drawn;
  }

  private static String word(Random random) {
    return one(random, WORDS);
  }

  private static String one(Random random, List<String> of) {
    return of.get(random.nextInt(of.size()));
  }

  @Override
  public String toString() {
    String shown = new String(body, UTF_8);
    return Map.of(
            "head",
            new String(head, UTF_8),
            "body",
            shown.substring(0, Math.min(500, shown.length())))
        .toString();
  }
}
