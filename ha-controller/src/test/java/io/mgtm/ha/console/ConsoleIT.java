package io.mgtm.ha.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.OperatorCommand;
import io.mgtm.testing.Await;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** The console and the stream of events before real controllers. */
class ConsoleIT {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private static Path folder;
  private static ConsoleRig rig;

  @BeforeAll
  static void start() throws Exception {
    rig =
        ConsoleRig.start(
            folder,
            List.of("a", "b", "w"),
            """
            hierarchies:
              orders:
                nodes: [a, b]
                resources:
                  address: {kit: fake}
                  data: {kit: fake}
                  database: {kit: fake, on: [data, address]}
              query1:
                nodes: [a]
                resources:
                  replicator: {kit: query}
              query2:
                nodes: [b]
                resources:
                  replicator: {kit: query}
            """);
    Await.until("in service", () -> rig.cluster.where("orders").isPresent());
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  /** What a replicator of a group of three says; null for the servers where it does not serve. */
  private static Map<String, String> replicator(String name, String second) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("name", name);
    facts.put("role", second == null ? "follower" : "leader");
    facts.put("term", "4");
    facts.put("leads", "q1");
    for (String member : List.of("q1", "q2", "q3")) {
      facts.put("member." + member, member.equals("q3") ? "voter away 812" : "voter connected 0");
    }
    if (second != null) {
      facts.put("leader", "pg1:5432");
      facts.put("serversIn", "1");
      facts.put("serversMin", "1");
      facts.put("sessions", "33");
      facts.put("server.pg1:5432", "leader 15.14 5 1 70401");
      facts.put("server.pg2:5432", "out 16.1 0 4711 12");
      facts.put("why.pg2:5432", second);
    }
    return facts;
  }

  @Test
  void serversAndMembersOfQueryReplicatorsAreShown() throws Exception {
    rig.cluster.knows("a", "replicator", replicator("q1", "cannot <b>connect</b>"));
    rig.cluster.knows("b", "replicator", replicator("q2", null));
    try (Browser browser = Browser.open(folder.resolve("profile-query"))) {
      browser.visit(rig.url("b") + "/");
      browser.awaitText("#query", "cannot <b>connect</b>");
      assertThat(browser.all("#query .block")).hasSize(1);
      assertThat(browser.text("#query h3")).isEqualTo("group of q1, q2, q3");
      assertThat(browser.text("#query .who")).contains("pg1:5432", "1 of 2, 1 to write", "33", "4");
      assertThat(browser.text("#query tr[data-key='pg1:5432']"))
          .contains("leads", "15.14", "in", "5", "1", "70401");
      assertThat(browser.text("#query tr[data-key='pg2:5432']")).contains("out", "4711", "12");
      assertThat(browser.text("#query tr[data-key=q1]")).contains("serves", "connected");
      assertThat(browser.text("#query tr[data-key=q3]")).contains("not connected", "812 entries");

      Map<String, String> without = replicator("q2", null);
      without.put("leads", "");
      without.put("trouble", "no majority");
      rig.cluster.knows("a", "replicator", replicator("q1", null));
      rig.cluster.knows("b", "replicator", without);
      browser.awaitText("#query", "it: q1, which leads, is not heard");
      browser.awaitText("#query", "q2: no majority");
      assertThat(browser.all("#query tr[data-key='pg1:5432']")).isEmpty();
      assertThat(browser.complaints()).isEmpty();
    }
  }

  private static String other() {
    return rig.cluster.awaitWhere("orders").equals("a") ? "b" : "a";
  }

  private static HttpResponse<String> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(rig.url("a") + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void aSwitchoverIsDoneByKeyboard() throws Exception {
    try (Browser browser = Browser.open(folder.resolve("profile"))) {
      String target = other();
      // Of one that does not lead, which passes on what it is asked.
      browser.visit(rig.url(rig.follower()) + "/");
      browser.awaitText("#top", "All in service");
      browser.awaitText("#top", "live");
      browser.awaitText("#nodes", "witness");
      browser.awaitText("#hierarchies .card", "orders");
      assertThat(browser.all("#hierarchies [data-key=orders] svg.graph .box.ok")).hasSize(3);

      browser.tabTo("[data-act=switchover]");
      browser.press(Keys.ENTER);
      browser.awaitText("dialog", "What will happen");
      assertThat(browser.text("dialog"))
          .contains("database (fake) then ", "What stops: ", "Switch over to " + target);
      browser.tabTo("dialog button[type=submit]");
      browser.press(Keys.ENTER);

      Await.until("moved", () -> rig.cluster.where("orders").equals(Optional.of(target)));
      browser.awaitText("#said", "Decided");
      browser.awaitText("#hierarchies .card .where", "on " + target);
      browser.awaitText("#hierarchies tr.here", "in service");
      browser.awaitText("#events", "shall move to " + target);
      assertThat(browser.complaints()).isEmpty();
    }
  }

  @Test
  void aResourceIsCheckedByKeyboard() throws Exception {
    try (Browser browser = Browser.open(folder.resolve("profile-check"))) {
      String here = rig.cluster.awaitWhere("orders");
      browser.visit(rig.url(here.equals("a") ? "b" : "a") + "/");
      browser.awaitText("#top", "live");
      browser.awaitText("#hierarchies", "Check");

      browser.tabTo("[data-act=check]");
      browser.press(Keys.ENTER);
      browser.awaitText("dialog", here + " checks database deeply");
      browser.tabTo("dialog button[type=submit]");
      browser.press(Keys.ENTER);
      browser.awaitText("#said", "database of orders on " + here + " is healthy after");
      assertThat(browser.complaints()).isEmpty();
    }
  }

  @Test
  void aStreamGoesOnAfterTheLastEventThatItsReaderHas() throws Exception {
    rig.cluster.ask(new OperatorCommand.Maintain(OperatorCommand.Scope.HIERARCHY, "orders", true));
    rig.cluster.ask(new OperatorCommand.Maintain(OperatorCommand.Scope.HIERARCHY, "orders", false));
    Await.until("applied", () -> !rig.cluster.node("a").view().state().events().isEmpty());
    long last = rig.cluster.node("a").view().state().lastEvent();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(rig.url("a") + "/v1/events/stream?status=true"))
            .header("Last-Event-ID", Long.toString(last - 1))
            .build();
    HttpResponse<java.io.InputStream> stream = HTTP.send(request, BodyHandlers.ofInputStream());

    assertThat(stream.headers().firstValue("Content-Type").orElse(""))
        .startsWith("text/event-stream");
    List<String> lines = new ArrayList<>();
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
      while (!lines.contains("event: event")) {
        lines.add(reader.readLine());
      }
    }
    assertThat(lines)
        .contains("event: status", "id: " + last)
        .doesNotContain("id: " + (last - 1))
        .filteredOn(line -> line.startsWith("data: {\"node\""))
        .allSatisfy(
            line -> assertThat(line).contains("\"placements\"").doesNotContain("\"events\""));
    assertThat(get("/v1/events/stream", "Last-Event-ID", "soon").statusCode()).isEqualTo(400);
  }

  @Test
  void theFilesAreWhatTheyAreAndNothingElseIsServed() throws Exception {
    HttpResponse<String> page = get("/");
    assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
        .contains("default-src 'none'", "script-src 'self'")
        .doesNotContain("unsafe");
    assertThat(page.body()).doesNotContain("http://", "https://", "style=", "onclick=");
    String tag = get("/console/console.js").headers().firstValue("ETag").orElseThrow();
    assertThat(get("/console/console.js", "If-None-Match", tag).statusCode()).isEqualTo(304);
    assertThat(get("/console/..%2f..%2fapi%2fopenapi.json").statusCode()).isIn(400, 404);
    assertThat(get("/console/nothing.js").statusCode()).isEqualTo(404);
  }
}
