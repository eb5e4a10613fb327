package io.mgtm.ha.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.mgtm.common.HostPort;
import io.mgtm.common.TlsFiles;
import io.mgtm.ha.cli.HaMain;
import io.mgtm.ha.config.AccessConfig;
import io.mgtm.ha.config.NotifyConfig;
import io.mgtm.ha.core.Event;
import io.mgtm.ha.kit.ResourceCheck;
import io.mgtm.ha.model.EventKind;
import io.mgtm.ha.model.Role;
import io.mgtm.ha.node.LocalCluster;
import io.mgtm.ha.notify.Notifier;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import io.mgtm.testing.TestKeys;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/**
 * One controller with TLS, tokens and certificates, asked by whom it knows and whom it does not.
 */
class SecurityIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Map<String, Role> OPERATORS =
      Map.of("gus", Role.GUEST, "olga", Role.OPERATOR, "anna", Role.ADMINISTRATOR);

  @TempDir private static Path folder;
  private static LocalCluster cluster;
  private static final List<String> posted = new CopyOnWriteArrayList<>();
  private static HttpServer hook;
  private static Notifier notifier;
  private static ApiServer server;
  private static HostPort at;
  private static TestKeys own;
  private static TestKeys known;

  private record Run(int status, String out, String err) {}

  @BeforeAll
  static void start() throws Exception {
    cluster =
        new LocalCluster(
            folder,
            List.of("a"),
            """
            hierarchies:
              orders:
                nodes: [a]
                resources:
                  below: {kit: script, parameters: {start: a, stop: b, status: c}}
            """);
    cluster.start("a");
    own = TestKeys.make(folder, "own", OwnAddress.HOST);
    known = TestKeys.make(folder, "known", OwnAddress.HOST);
    Path trust =
        Files.writeString(
            folder.resolve("trust.crt"),
            Files.readString(known.certificate()) + Files.readString(own.certificate()));
    at = cluster.config().nodes().get("a").api();
    hook = hook();
    notifier = Notifier.start(cluster.node("a"), tells());
    server = ApiServer.start(cluster.node("a"), setup(at, trust));
    Await.until("in service", () -> cluster.where("orders").isPresent());
  }

  private static ApiSetup setup(HostPort at, Path trust) throws Exception {
    return new ApiSetup(
        at,
        ResourceCheck.NONE,
        Optional.empty(),
        new TlsFiles("tls.", own.certificate(), own.key(), trust),
        new AccessConfig(
            Optional.of(tokens()), Map.of(new X500Principal("cn=Known, o=orders"), Role.OPERATOR)),
        Optional.of(notifier));
  }

  private static HttpServer hook() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
    server.createContext(
        "/",
        exchange -> {
          posted.add(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static NotifyConfig tells() throws IOException {
    return new NotifyConfig(
        Map.of(
            "ops",
            new NotifyConfig.Webhook(
                URI.create("http://127.0.0.1:" + hook.getAddress().getPort()),
                Files.writeString(folder.resolve("hook"), "0123456789abcdef"),
                Optional.empty(),
                Set.of(EventKind.OPERATOR))),
        Optional.empty());
  }

  private static Path tokens() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (Map.Entry<String, Role> operator : OPERATORS.entrySet()) {
      String name = operator.getKey();
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(("token of " + name).getBytes(US_ASCII));
      lines.append(
          "%s %s %s%n".formatted(name, operator.getValue(), HexFormat.of().formatHex(hash)));
      Files.writeString(folder.resolve(name), "token of " + name + "\n");
    }
    Path file = Files.writeString(folder.resolve("tokens"), lines);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  @AfterAll
  static void stop() {
    server.close();
    notifier.close();
    hook.stop(0);
    cluster.close();
  }

  private static Run run(String... args) {
    CommandLine line = HaMain.commandLine();
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--at", at.toString()));
    int status = line.execute(all.toArray(String[]::new));
    return new Run(status, out.toString(), err.toString());
  }

  private static HttpResponse<String> post(String operator, String path, String body)
      throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://" + at + path))
                .header("Authorization", "Bearer token of " + operator)
                .POST(BodyPublishers.ofString(body))
                .build(),
            BodyHandlers.ofString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gus  | /v1/config/plan                   | cluster: x                     | 400",
        "gus  | /v1/config/apply                  | cluster: x                     | 403",
        "gus  | /v1/maintenance                   | {\"scope\":\"CLUSTER\",\"on\":false} | 403",
        "gus  | /v1/nodes/a/retire                | {}                             | 403",
        "gus  | /v1/hierarchies/orders/switchover | {\"node\":\"a\"}                   | 403",
        "gus  | /v1/notify/test                   | {}                             | 403",
        "olga | /v1/maintenance                   | {\"scope\":\"CLUSTER\",\"on\":false} | 200",
        "olga | /v1/maintenance | {\"scope\":\"CLUSTER\",\"name\":\"a\",\"on\":true} | 400",
        "olga | /v1/hierarchies/orders/switchover | {\"node\":\"a\"}                   | 409",
        "olga | /v1/hierarchies/orders/start      | {\"node\":\"a\",\"acceptLoss\":true} | 403",
        "olga | /v1/config/apply                  | cluster: x                     | 403",
        "olga | /v1/config/apply/                 | cluster: x                     | 403",
        "olga | /v1/config/apply//                | cluster: x                     | 403",
        "anna | /v1/config/apply/                 | cluster: x                     | 404",
        "olga | /v1/notify/test                   | {}                             | 200",
        "anna | /v1/config/apply                  | cluster: x                     | 400",
        "anna | /v1/hierarchies/orders/start      | {\"node\":\"a\",\"acceptLoss\":true} | 409",
        "eve  | /v1/maintenance                   | {\"scope\":\"CLUSTER\",\"on\":false} | 401"
      })
  void eachRoleMayDoItsOwnAndWhatTheOnesBelowMay(
      String operator, String path, String body, int status) throws Exception {
    HttpResponse<String> answer = post(operator, path, body);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    if (status != 200) {
      assertThat(JSON.readTree(answer.body()).path("error").asText()).isNotBlank();
    }
  }

  @Test
  void aGuestReads() {
    String[] guest = {"--token-file", folder.resolve("gus").toString()};
    assertThat(run("status", guest[0], guest[1]).out()).contains("a decides");

    Run refused = run("stop", "orders", guest[0], guest[1]);
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.err())
        .isEqualTo("mgtm: this takes the role operator, and gus has the role guest by its token\n");
  }

  @Test
  void theEventsTellWhoAskedByWhatRoleAndFromWhere() throws Exception {
    for (boolean on : List.of(true, false)) {
      String body = "{\"scope\":\"NODE\",\"name\":\"a\",\"on\":%b}".formatted(on);
      assertThat(post("olga", "/v1/maintenance", body).statusCode()).isEqualTo(200);
    }
    assertThat(post("anna", "/v1/hierarchies/orders/switchover", "{\"node\":\"a\"}").statusCode())
        .isEqualTo(409);

    Await.untilAsserted(
        "events",
        () ->
            assertThat(cluster.node("a").view().state().events())
                .extracting(Event::by, Event::what)
                .anySatisfy(
                    event ->
                        assertThat(event.toList())
                            .containsExactly(
                                "olga (operator by its token, from 127.0.0.1)", "maintenance ends"))
                .anySatisfy(
                    event ->
                        assertThat(event.toList())
                            .containsExactly(
                                "anna (administrator by its token, from 127.0.0.1)",
                                "refused: \"shall move to a\": it is on a already")));
    assertThat(run("events").out())
        .contains("maintenance ends; asked by olga (operator by its token");
  }

  @Test
  void overTlsACertificateProvesItsRole() {
    String[] trust = {"--tls-trust", own.certificate().toString()};
    Run status =
        run(
            "maintenance",
            "on",
            "--hierarchy",
            "orders",
            trust[0],
            trust[1],
            "--tls-certificate",
            known.certificate().toString(),
            "--tls-key",
            known.key().toString());
    assertThat(status.err()).isEmpty();
    assertThat(run("maintenance", "off", "--hierarchy", "orders", trust[0], trust[1]).err())
        .isEmpty();
    assertThat(run("events", trust[0], trust[1]).out())
        .contains("asked by CN=known,O=orders (operator by its certificate");
  }

  @Test
  void aCertificateWithoutARoleIsRefused() {
    Run run =
        run(
            "status",
            "--tls-trust",
            own.certificate().toString(),
            "--tls-certificate",
            own.certificate().toString(),
            "--tls-key",
            own.key().toString());

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).contains("the certificate of CN=own,O=orders has no role");
  }

  @Test
  void aServerThatIsNotTrustedIsSaidSo() {
    Run run = run("status", "--tls-trust", known.certificate().toString());

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).contains("its certificate is not trusted").hasLineCount(1);
  }

  @Test
  void onLoopbackItSpeaksInTheClearAsWell() throws Exception {
    SSLContext trusting =
        new TlsFiles("--", null, null, own.certificate()).client(TlsFiles.VERSION).context();
    HttpClient http = HttpClient.newBuilder().sslContext(trusting).build();
    for (String scheme : List.of("http", "https")) {
      HttpResponse<String> health =
          http.send(
              HttpRequest.newBuilder(URI.create(scheme + "://" + at + "/health")).build(),
              BodyHandlers.ofString());
      assertThat(health.statusCode()).as(scheme).isEqualTo(200);
    }
  }

  @Test
  void elsewhereItSpeaksTlsAlone() throws Exception {
    HostPort all = new HostPort("0.0.0.0", OwnAddress.port());
    HostPort to = new HostPort(OwnAddress.HOST, all.port());
    byte[] request = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(US_ASCII);
    SSLContext trusting =
        new TlsFiles("--", null, null, own.certificate()).client(TlsFiles.VERSION).context();
    try (ApiServer other = ApiServer.start(cluster.node("a"), setup(all, own.certificate()))) {
      assertThat(other.port()).isEqualTo(all.port());
      assertThatThrownBy(() -> RawHttp.send(to, request, new byte[0]))
          .isInstanceOf(IOException.class);
      assertThat(
              HttpClient.newBuilder()
                  .sslContext(trusting)
                  .build()
                  .send(
                      HttpRequest.newBuilder(URI.create("https://" + to + "/health")).build(),
                      BodyHandlers.ofString())
                  .statusCode())
          .isEqualTo(200);
    }
  }

  @Test
  void whatIsAskedIsToldToTheWebhookAndTheClusterRemembersIt() throws Exception {
    Await.until("a position", () -> told() > 0);
    assertThat(post("anna", "/v1/hierarchies/orders/switchover", "{}").statusCode()).isEqualTo(409);

    Await.until(
        "told", () -> posted.stream().anyMatch(body -> body.contains("name the node that it")));
    Await.until("remembered", () -> told() == cluster.node("a").view().state().lastEvent());
    assertThat(run("notify", "test").out()).isEqualTo("webhooks.ops: told\n");
    assertThat(posted)
        .anySatisfy(body -> assertThat(body).contains("a test: nothing has happened"));
  }

  private static long told() {
    return cluster.node("a").view().state().notified().getOrDefault("webhooks.ops", 0L);
  }

  @Test
  void noiseInPlaceOfARequestIsAnsweredOrCutOff() throws Exception {
    try (Socket socket = new Socket(at.host(), at.port())) {
      socket.getOutputStream().write("GET /v1/status HTTP/9.9\r\n\r\n\0\0".getBytes(US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      assertThat(answer)
          .doesNotContain("Exception")
          .doesNotContain("<html")
          .doesNotContain("\tat ");
      JsonNode body = JSON.readTree(answer.substring(answer.indexOf("\r\n\r\n") + 4));
      assertThat(body.path("error").asText()).isNotBlank();
    }
  }
}
