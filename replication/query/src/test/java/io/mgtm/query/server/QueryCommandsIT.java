package io.mgtm.query.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.cli.QueryMain;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What operators see of a replicator before two real servers, and how one comes back. */
class QueryCommandsIT {
  @TempDir private Path folder;
  private Cluster cluster;

  @AfterEach
  void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static String run(String... arguments) {
    CommandLine line = QueryMain.commandLine();
    StringWriter text = new StringWriter();
    line.setOut(new PrintWriter(text));
    line.setErr(new PrintWriter(text));
    int status = line.execute(arguments);
    return text + "status " + status;
  }

  private String ask(String command, String... more) {
    String[] all = new String[3 + more.length];
    all[0] = command;
    all[1] = "--at";
    all[2] = cluster.replicator.admin().toString();
    System.arraycopy(more, 0, all, 3, more.length);
    return run(all);
  }

  private String get(String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + cluster.replicator.admin() + path)).build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  @Test
  void operatorsSeeServersDifferencesAndForeignersAndLetServersInAgain() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "create table kept (id int primary key, n int)");
    cluster.startReplicator();
    String first = cluster.servers.get(0).address.toString();
    String second = cluster.servers.get(1).address.toString();
    try (Connection alice = cluster.alice()) {
      alice.createStatement().executeUpdate("insert into kept values (1, 1)");
      assertThat(ask("status"))
          .contains("leader " + first + ", 2 servers in")
          .doesNotContain("not of the replicator");
      try (Connection foreign = Cluster.alice(cluster.servers.get(1).address)) {
        assertThat(ask("status"))
            .contains("not of the replicator: " + second + ": backend ")
            .contains("of alice in app");
        foreign.createStatement().executeUpdate("update kept set n = 2 where id = 1");
      }
    }
    assertThat(ask("verify"))
        .contains("1 rows different", "1 rows of public.kept of app differ", "status 1");
    assertThat(ask("explain", "--database", "app", "update kept set n = 1 where id = 7"))
        .contains("KEY_LOCAL");
    assertThat(ask("explain", "--database", "app", "--json", "create table x ()"))
        .contains("\"class\" : \"DDL\"")
        .contains("Stop the replicator");
    assertThat(get("/metrics")).contains("mgtm_query_server_in{server=\"" + second + "\"} 1");
    assertThat(get("/health")).isEqualTo("ok\n");

    try (Connection alice = cluster.alice()) {
      cluster.servers.get(1).sql("app", "delete from kept");
      alice.createStatement().executeUpdate("delete from kept where id = 1");
    }
    assertThat(ask("servers")).contains("out ").contains("answered DELETE 0");
    Path state = folder.resolve("state");
    assertThat(run("readmit", "--data", state.toString(), second))
        .contains("another replicator uses");
    cluster.replicator.close();
    assertThat(run("readmit", "--data", state.toString(), first)).contains("is not out");
    assertThat(run("readmit", "--data", state.toString(), second)).contains("status 0");
    cluster.startReplicator();
    assertThat(cluster.replicator.serversIn()).containsExactly(first, second);
    assertThat(ask("verify")).contains("2 servers compared, 0 rows different");
  }
}
