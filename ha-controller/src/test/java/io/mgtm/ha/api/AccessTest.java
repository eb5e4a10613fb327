package io.mgtm.ha.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.javalin.http.Context;
import io.javalin.http.ForbiddenResponse;
import io.javalin.http.HandlerType;
import io.javalin.http.UnauthorizedResponse;
import io.mgtm.ha.config.AccessConfig;
import io.mgtm.ha.model.Role;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What follows from where a request comes from and what it shows; without a server. */
class AccessTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";

  private static Context request(String from, String method, String path, String... headers) {
    Map<String, String> given = new HashMap<>();
    for (int i = 0; i < headers.length; i += 2) {
      given.put(headers[i], headers[i + 1]);
    }
    Map<Object, Object> attributes = new HashMap<>();
    Object servlet =
        Proxy.newProxyInstance(
            AccessTest.class.getClassLoader(),
            new Class<?>[] {HttpServletRequest.class},
            (proxy, called, args) -> called.getName().equals("isSecure") ? false : null);
    return (Context)
        Proxy.newProxyInstance(
            AccessTest.class.getClassLoader(),
            new Class<?>[] {Context.class},
            (proxy, called, args) ->
                switch (called.getName()) {
                  case "ip" -> from;
                  case "path" -> path;
                  case "method" -> HandlerType.findOrCreate(method);
                  case "header" -> given.get(args[0]);
                  case "req" -> servlet;
                  case "attribute" ->
                      args.length == 1 ? attributes.get(args[0]) : attributes.put(args[0], args[1]);
                  default -> throw new AssertionError(called);
                });
  }

  private static Caller check(Context request) throws IOException {
    new Access(Optional.of(SECRET), AccessConfig.NONE, Set.of("db1")).check(request);
    return Access.of(request);
  }

  @Test
  void fromThisMachineNothingNeedsToBeShown() throws IOException {
    Caller caller =
        check(
            request(
                "127.0.0.1",
                "POST",
                "/v1/config/apply",
                "Host",
                "127.0.0.1:7902",
                "Mgtm-Operator",
                "root"));

    assertThat(caller.by())
        .isEqualTo("root (administrator by being on this machine, from 127.0.0.1)");
  }

  @ParameterizedTest
  @CsvSource({"GET,/v1/status", "GET,/metrics", "POST,/v1/maintenance", "GET,/v1/events/stream"})
  void fromElsewhereItMustBe(String method, String path) {
    assertThatThrownBy(() -> check(request("192.0.2.7", method, path, "Host", "192.0.2.1:7902")))
        .isInstanceOf(UnauthorizedResponse.class)
        .hasMessageContaining("--token-file");
  }

  @Test
  void whetherItLivesMayBeAskedByAnybody() throws IOException {
    assertThat(check(request("192.0.2.7", "GET", "/health"))).isNull();
  }

  @Test
  void theSecretProvesAnAdministratorAnywhere() throws IOException {
    Caller caller =
        check(
            request(
                "192.0.2.7",
                "POST",
                "/v1/config/apply",
                "Authorization",
                "bearer " + OperatorToken.of(SECRET)));

    assertThat(caller.role()).isEqualTo(Role.ADMINISTRATOR);
    assertThat(caller.by())
        .isEqualTo("operator (administrator by the cluster's secret, from 192.0.2.7)");
  }

  @ParameterizedTest
  @CsvSource({"Bearer nonsense", "Bearer", "Basic YTpi", "''"})
  void aTokenThatIsNotKnownIsRefusedEvenHere(String authorization) {
    assertThatThrownBy(
            () -> check(request("127.0.0.1", "GET", "/v1/status", "Authorization", authorization)))
        .isInstanceOf(UnauthorizedResponse.class);
  }

  @Test
  void whatSomebodySaysOfHimselfIsANameOrNothing() throws IOException {
    assertThat(
            check(
                    request(
                        "127.0.0.1",
                        "GET",
                        "/v1/status",
                        "Host",
                        "localhost",
                        "Mgtm-Operator",
                        "anna (administrator by its token, from here)"))
                .name())
        .isEqualTo("operator");
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:7902, http://evil.example",
    "127.0.0.1:7902, null",
    "127.0.0.1:7902, http://127.0.0.1:8080",
    "evil.example:7902, http://evil.example:7902",
    "evil.example:7902,"
  })
  void aPageOfAnotherSiteThatABrowserHereShowsMayNotAsk(String host, String origin) {
    assertThatThrownBy(
            () ->
                check(
                    request(
                        "127.0.0.1", "POST", "/v1/maintenance", "Host", host, "Origin", origin)))
        .isInstanceOf(ForbiddenResponse.class);
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:7902, http://127.0.0.1:7902",
    "localhost:7902, http://localhost:7902",
    "[::1]:7902, http://[::1]:7902",
    "db1:7902, http://db1:7902"
  })
  void theConsoleOfThisMachineMay(String host, String origin) throws IOException {
    assertThat(
            check(request("127.0.0.1", "POST", "/v1/maintenance", "Host", host, "Origin", origin))
                .role())
        .isEqualTo(Role.ADMINISTRATOR);
  }
}
