package io.mgtm.ha.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.ha.api.ApiServer;
import io.mgtm.ha.api.ApiSetup;
import io.mgtm.ha.kit.ResourceCheck;
import io.mgtm.ha.node.LocalCluster;
import io.mgtm.testing.Await;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Commands and requests before real controllers, whose kits only remember. */
class CommandsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private static Path folder;
  private static LocalCluster cluster;
  private static final List<ApiServer> servers = new ArrayList<>();
  private String leads;
  private String follows;

  private record Run(int status, String out, String err) {}

  @BeforeAll
  static void startAll() throws Exception {
    cluster =
        new LocalCluster(
            folder,
            List.of("a", "b", "w"),
            """
            hierarchies:
              orders:
                nodes: [a, b]
                resources:
                  below: {kit: script, parameters: {start: a, stop: b, status: c}}
            """);
    cluster.start("a", "b", "w");
    for (String name : List.of("a", "b", "w")) {
      servers.add(
          ApiServer.start(
              cluster.node(name),
              new ApiSetup(
                  cluster.config().nodes().get(name).api(),
                  ResourceCheck.NONE,
                  Optional.of("0123456789abcdef0123456789abcdef"))));
    }
    Await.until("in service", () -> cluster.where("orders").isPresent());
  }

  /** A machine that stands still for a while deposes leaders. */
  @BeforeEach
  void awaitLeader() {
    leads = cluster.awaitLeader();
    follows = leads.equals("a") ? "b" : "a";
  }

  @AfterAll
  static void stopAll() {
    servers.forEach(ApiServer::close);
    cluster.close();
  }

  private static String at(String node) {
    return cluster.config().nodes().get(node).api().toString();
  }

  private static Run run(String... args) {
    CommandLine line = HaMain.commandLine();
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int status = line.execute(args);
    return new Run(status, out.toString(), err.toString());
  }

  private static HttpResponse<String> post(String node, String path, String body) throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create("http://" + at(node) + path))
            .POST(BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  private HttpResponse<String> get(String path) throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create("http://" + at(leads) + path)).build(),
        BodyHandlers.ofString());
  }

  @Test
  void statusTellsWhoDecidesAndWhatRunsWhere() {
    Run status = run("status", "--at", at(follows));

    assertThat(status.status()).isZero();
    assertThat(status.out())
        .startsWith(leads + " decides, term ")
        .containsPattern("(?m)^HIERARCHY +NODE +STATE")
        .containsPattern("(?m)^orders +[ab] +IN")
        .containsPattern("(?m)^a +yes +yes +(here|path1) ok");
  }

  @Test
  void aCommandFindsTheLeaderFromAnyNodeAndWhyTellsOfIt() throws Exception {
    String there = cluster.awaitWhere("orders").equals("a") ? "b" : "a";

    assertThat(run("switchover", "orders", "--to", there, "--at", at(follows)).err()).isEmpty();
    Await.until("moved", () -> cluster.where("orders").equals(Optional.of(there)));

    assertThat(run("why", "--at", at(leads)).out()).contains("orders").contains(there);
    JsonNode events = JSON.readTree(get("/v1/events").body());
    long last = events.get(events.size() - 1).path("id").asLong();
    assertThat(run("why", String.valueOf(last), "--at", at(leads)).out()).contains(" by ");
  }

  @Test
  void aNodeIsTakenOutAndBack() {
    String here = cluster.awaitWhere("orders");

    Run retired = run("node", "retire", here, "--wait", "60", "--at", at(follows));
    assertThat(retired.err()).isEmpty();
    assertThat(retired.out())
        .isEqualToIgnoringNewLines(
            here + " is retired, and nothing is in service there; its controller can be stopped");
    assertThat(run("node", "list", "--at", at(leads)).out())
        .containsPattern("(?m)^" + here + " .* retired$");
    assertThat(cluster.awaitWhere("orders")).isNotEqualTo(here);
    assertThat(run("switchover", "orders", "--to", here, "--at", at(leads)).err())
        .contains(here + " is retired: activate it first");

    assertThat(run("node", "activate", here, "--at", at(follows)).err()).isEmpty();
    assertThat(run("switchover", "orders", "--to", here, "--at", at(leads)).err()).isEmpty();
    Await.until("back", () -> cluster.where("orders").equals(Optional.of(here)));
  }

  @Test
  void resourcesAreShownWithTheirStateOnEachNode() {
    assertThat(run("resource", "list", "--at", at(leads)).out())
        .containsPattern("(?m)^HIERARCHY +RESOURCE +KIT +NODE +STATE")
        .containsPattern("(?m)^orders +below +script +a +");
    assertThat(run("resource", "show", "orders", "below", "--at", at(leads)).out())
        .contains("kit script", "start = a", "a: ", "b: ");
    assertThat(run("resource", "list", "orders", "--json", "--at", at(leads)).out())
        .contains("\"resource\" : \"below\"");
  }

  @Test
  void aResourceIsCheckedNowWhereItIsInService() {
    String here = cluster.awaitWhere("orders");
    for (String asked : List.of(leads, follows, "w")) {
      Run check = run("resource", "check", "orders", "below", "--at", at(asked));
      assertThat(check.err()).isEmpty();
      assertThat(check.out()).startsWith("below of orders on " + here + " is healthy after ");
      assertThat(check.status()).isZero();
    }
    assertThat(run("resource", "check", "orders", "below", "--json", "--at", at(follows)).out())
        .contains("\"found\" : \"IN\"", "\"node\" : \"" + here + "\"");
  }

  @Test
  void whatACheckFindsIsToldAndRepaired() {
    String here = cluster.awaitWhere("orders");
    int repairs = repairs(here);
    // By itself it may be found a moment before.
    Await.until(
        "found by who asks",
        () -> {
          cluster.ails(here, "below", "it answers nonsense");
          Run check = run("resource", "check", "orders", "below", "--at", at(follows));
          return check.status() == 1
              && check.out().contains("has FAILED its check after ")
              && check.out().contains(": it answers nonsense\nThat counts as any failed check");
        });
    Await.until("repaired", () -> repairs(here) > repairs);
    Await.until("back", () -> cluster.where("orders").equals(Optional.of(here)));
  }

  private static int repairs(String node) {
    return cluster.node(node).view().nodes().get(node).reports().get("orders").recoveries();
  }

  @Test
  void whatIsNotInServiceIsNotChecked() {
    String here = cluster.awaitWhere("orders");
    assertThat(run("stop", "orders", "--at", at(leads)).err()).isEmpty();
    Await.until(
        "out",
        () -> cluster.node(leads).view().state().placements().get("orders").node().isEmpty());
    Run check = run("resource", "check", "orders", "below", "--at", at(leads));
    assertThat(check.status()).isEqualTo(1);
    assertThat(check.err())
        .startsWith("mgtm: orders is not in service on any node")
        .hasLineCount(1);
    assertThat(run("start", "orders", "--on", here, "--at", at(leads)).err()).isEmpty();
    Await.until("back", () -> cluster.where("orders").equals(Optional.of(here)));
  }

  @ParameterizedTest
  @CsvSource({
    "switchover nothing --to b, nothing",
    "switchover orders --to w, w",
    "confirm orders, pending",
    "why 999999, 999999",
    "stop, HIERARCHY",
    "maintenance on --node zz, zz",
    "node retire zz, zz",
    "node retire w, witness",
    "node activate a, not retired",
    "resource list nothing, nothing",
    "resource show orders above, above",
    "resource check nothing below, nothing",
    "resource check orders above, above",
    "resource check orders, RESOURCE"
  })
  void whatCannotBeDoneIsOneLineThatSaysWhy(String command, String names) {
    List<String> args = new ArrayList<>(List.of(command.split(" ", -1)));
    args.addAll(List.of("--at", at(leads)));

    Run run = run(args.toArray(String[]::new));

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).startsWith("mgtm: ").contains(names).hasLineCount(1);
  }

  @Test
  void nobodyThereIsSaidSo() {
    Run run = run("status", "--at", "127.0.0.1:1");

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).startsWith("mgtm: no answer from a controller at 127.0.0.1:1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/v1/hierarchies/orders/start | [] | 400",
        "/v1/hierarchies/orders/start | {\"node\":1,\"x\":2} | 400",
        "/v1/hierarchies/orders/start | null | 400",
        "/v1/hierarchies/orders/start | {\"node\":\"w\"} | 409",
        "/v1/hierarchies/orders/dance | {} | 400",
        "/v1/hierarchies/%20/stop | {} | 409",
        "/v1/nodes/a/dance | {} | 400",
        "/v1/nodes/a/retire | {\"rest\":\"GOES\"} | 400",
        "/v1/nodes/zz/retire | {} | 409",
        "/v1/maintenance | {} | 400",
        "/v1/maintenance | {\"scope\":\"CLUSTER\",\"on\":\"true\"} | 400",
        "/v1/maintenance | {\"scope\":\"CLUSTER\"} | 400",
        "/v1/maintenance | {\"scope\":\"ALL\"} | 400",
        "/v1/config/plan | a: [ | 400",
        "/v1/config/apply | cluster: other | 400",
        "/v1/nothing | {} | 404"
      })
  void badRequestsAreRefusedInJson(String path, String body, int status) throws Exception {
    HttpResponse<String> answer = post(leads, path, body);

    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(JSON.readTree(answer.body()).path("error").asText()).isNotBlank();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/v1/hierarchies/orders/start | {\"to\":\"a\"} | there is no field \"to\"; there are",
        "/v1/hierarchies/orders/start | {\"node\":1} | the field \"node\" is not of its type",
        "/v1/hierarchies/orders/start | [] | expected an object",
        "/v1/maintenance | {\"on\":true} | scope is missing",
        "/v1/maintenance | {\"scope\":\"X\"} | none of [CLUSTER, NODE, HIERARCHY]",
        "/v1/maintenance | {\"scope\":\"CLUSTER\"} | \"on\"",
      })
  void whatIsWrongWithABodyIsSaidByItsFields(String path, String body, String says)
      throws Exception {
    String error = JSON.readTree(post(leads, path, body).body()).path("error").asText();

    assertThat(error).contains(says).doesNotContain("java", "Request", "io.mgtm");
  }

  @Test
  void maintenanceThatIsNotOnIsNotEndedAndMakesNoEvent() throws Exception {
    String before = get("/v1/events").body();

    assertThat(run("maintenance", "off", "--at", at(follows)))
        .isEqualTo(new Run(0, "the cluster is not in maintenance; nothing is\n", ""));
    assertThat(get("/v1/events").body()).isEqualTo(before);
  }

  @Test
  void aBodyThatIsTooLargeIsRefused() throws Exception {
    String body = "x".repeat(2 << 20);
    assertThat(post(leads, "/v1/config/plan", body).statusCode()).isEqualTo(413);
    // Its length is not told before.
    HttpResponse<String> pieces =
        HTTP.send(
            HttpRequest.newBuilder(URI.create("http://" + at(leads) + "/v1/config/plan"))
                .POST(
                    BodyPublishers.ofInputStream(
                        () -> new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8))))
                .build(),
            BodyHandlers.ofString());
    assertThat(pieces.statusCode()).isEqualTo(413);
  }

  @Test
  void aWitnessHasAnotherControllerTell() throws Exception {
    assertThat(run("status", "--at", at("w")).out())
        .contains(leads + " decides")
        .containsPattern("(?m)^orders +[ab] ");
    assertThat(run("events", "--at", at("w")).out()).contains("orders");
    assertThat(run("why", "1", "--at", at("w")).out()).contains(" by ");
    assertThat(run("config", "show", "--at", at("w")).out()).contains("\"cluster\" : \"test\"");
  }

  @Test
  void headersThatAreTooLargeAreRefusedInJson() throws Exception {
    HttpResponse<String> answer =
        HTTP.send(
            HttpRequest.newBuilder(URI.create("http://" + at(leads) + "/v1/status"))
                .header("X", "y".repeat(20_000))
                .build(),
            BodyHandlers.ofString());

    assertThat(answer.statusCode()).isEqualTo(431);
    assertThat(JSON.readTree(answer.body()).path("error").asText()).isNotBlank();
  }

  @Test
  void whoeverIsToldOfEventsIsTestedFromTheCommandLine() {
    assertThat(run("notify", "test", "--at", at(leads)).out()).contains("names nobody");
  }

  @Test
  void theDescriptionNamesEveryPath() throws Exception {
    JsonNode paths = JSON.readTree(get("/v1/openapi.json").body()).path("paths");

    assertThat(paths.size()).isGreaterThan(8);
    for (var path : paths.properties()) {
      boolean ends = !path.getKey().endsWith("/stream");
      if (path.getValue().has("get") && !path.getKey().contains("{") && ends) {
        assertThat(get(path.getKey()).statusCode()).as(path.getKey()).isEqualTo(200);
      }
    }
    assertThat(get("/metrics").body())
        .contains("mgtm_ha_leads 1.0")
        .contains("mgtm_ha_hierarchy_in_service{hierarchy=\"orders\"");
  }

  @Test
  void aPlanShowsWhichServiceIsTouched() throws Exception {
    Path file = folder.resolve("ha.yaml");
    Files.writeString(file, cluster.yaml().replace("status: c", "status: other"));

    Run plan = run("config", "plan", file.toString(), "--at", at(follows));

    assertThat(plan.err()).isEmpty();
    assertThat(plan.out())
        .contains("hierarchies.orders.resources.below")
        .contains("stop it before it is changed")
        .doesNotContain("restarted");
    // It is in service, so that apply would refuse.
    assertThat(plan.out().lines().reduce("", (before, last) -> last)).endsWith("refused");
    assertThat(plan.status()).isEqualTo(1);
    Run json = run("config", "plan", file.toString(), "--at", at(follows), "--json");
    assertThat(json.out()).contains("REFUSED");
    assertThat(json.status()).isEqualTo(1);

    Files.writeString(file, cluster.yaml());
    Run same = run("config", "plan", file.toString(), "--at", at(follows));
    assertThat(same).isEqualTo(new Run(0, "nothing changes\n", ""));

    Files.writeString(file, cluster.yaml().replace("kit: script", "kit: scrip"));
    assertThat(run("config", "check", file.toString()).err())
        .contains("column")
        .contains("unknown kit \"scrip\", did you mean \"script\"?");
  }
}
