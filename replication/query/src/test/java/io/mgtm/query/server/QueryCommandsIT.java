package io.mgtm.query.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What operators see of a replicator before two real servers, and how one is let in again. */
class QueryCommandsIT {
  @TempDir private Path folder;
  private Cluster cluster;

  @AfterEach
  void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  private String get(String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + cluster.replicator.admin() + path)).build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  @Test
  void operatorsSeeServersDifferencesAndForeignersAndLetServersInAgain() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", "create table kept (id int primary key, n int)");
    cluster.startReplicator();
    String first = cluster.servers.get(0).address.toString();
    String second = cluster.servers.get(1).address.toString();
    try (Connection alice = cluster.alice()) {
      alice.createStatement().executeUpdate("insert into kept values (1, 1)");
      assertThat(get("/status"))
          .contains("\"leader\":\"" + first + "\",\"serversIn\":2")
          .contains("\"foreignBackends\":[]");
      try (Connection foreign = Cluster.alice(cluster.servers.get(1).address)) {
        assertThat(get("/status")).contains(second + ": backend ").contains("of alice in app");
        foreign.createStatement().executeUpdate("update kept set n = 2 where id = 1");
      }
    }
    assertThat(get("/verify"))
        .contains("\"rowsDifferent\":1", "1 rows of public.kept of app differ");
    assertThat(get("/explain?database=app&sql=update+kept+set+n=1+where+id=7"))
        .contains("KEY_LOCAL");
    assertThat(get("/explain?database=app&sql=create+role+x"))
        .contains("\"class\":\"REFUSED\"")
        .contains("Stop the replicator");
    assertThat(get("/metrics")).contains("mgtm_query_server_in{server=\"" + second + "\"} 1");
    assertThat(get("/health")).isEqualTo("{\"status\":\"up\"}\n");

    try (Connection alice = cluster.alice()) {
      cluster.servers.get(1).sql("app", "delete from kept");
      alice.createStatement().executeUpdate("delete from kept where id = 1");
    }
    assertThat(get("/servers")).contains("\"state\":\"out\"").contains("answered DELETE 0");
    String add = "/add-server?server=" + second;
    cluster.servers.get(1).sql("app", "insert into kept values (9, 9)");
    assertThat(get(add)).contains("1 rows of public.kept of app differ; make it a copy");
    cluster.servers.get(1).sql("postgres", "drop database app with (force)");
    assertThat(get(add)).contains("let the replicator's role be a superuser there meanwhile");
    cluster.servers.get(1).sql("postgres", "alter role mgtm superuser");
    assertThat(get(add)).contains("\"databasesCopied\":[\"app\"]");
    assertThat(cluster.replicator.serversIn()).containsExactly(first, second);
    assertThat(get("/verify")).contains("\"rowsDifferent\":0");
  }
}
