package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What operators see of a replicator before two real servers, and how one is let in again. */
class QueryCommandsIT {
  /** Some without a key, with columns of all kinds, and such as are seen by triggers and keys. */
  private static final String TABLES =
      "create table kept (id int primary key, n int); create table log (t text, n int, r int);"
          + "insert into log values ('a', 1), ('a', 1), (null, 2);"
          + "create function no() returns trigger language plpgsql as $$ begin return null; end $$;"
          + "create trigger no before delete or update on log for each row execute function no();"
          + "create table \"T'\" (u int unique, \"g h\" int generated always as (u * 2) stored,"
          + " id int generated always as identity primary key, j jsonb, f float8, b bytea);"
          + "insert into \"T'\" (u, j, f, b) values (1, '{\"a\": \"it''s\\\\\"}', 0.1, '\\x00ff'),"
          + " (2, null, 'nan', ''), (3, '[]', 1e300, null);"
          + "create table child (u int references \"T'\" (u)); insert into child values (3);"
          + "create table odd (id int primary key)";

  @TempDir private Path folder;
  @AutoClose private Cluster cluster;

  private String get(String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + cluster.replicator.admin() + path))
            .method(Tools.method(path), HttpRequest.BodyPublishers.noBody())
            .build();
    HttpResponse<String> response =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    return response.statusCode() == 202
        ? get(response.headers().firstValue("Location").orElseThrow())
        : response.body();
  }

  /** What a foreigner has written is as at the leader again, by a name or all of it. */
  private void repair(String second) throws Exception {
    assertThat(get("/repair?database=app&table=kept"))
        .contains("\"rowsRemoved\":1,\"rowsWritten\":1", second + ": 1 rows of public.kept");
    Postgres server = cluster.servers.get(1);
    server.sql("app", "alter table log disable trigger user");
    server.sql("app", "insert into log values ('x', 1), ('x', 1); delete from log where n = 2");
    server.sql("app", "delete from child; drop table odd; update \"T'\" set u = u + 10");
    server.sql("app", "update \"T'\" set u = 14 - u");
    try (Connection alice = cluster.alice();
        Statement open = alice.createStatement()) {
      alice.setAutoCommit(false);
      open.execute("insert into log values ('open', 7)");
      CompletableFuture<String> repaired = CompletableFuture.supplyAsync(() -> all("/repair"));
      Await.until(
          "the repair to wait for the open transaction",
          () ->
              cluster.servers.get(0).number("select count(*) from pg_locks where not granted") > 0);
      open.execute("insert into child values (1)");
      alice.commit();
      assertThat(repaired.get(60, TimeUnit.SECONDS))
          .contains("2 rows of public.log of app removed, 1 written")
          .contains("2 rows of public.\\\"T'\\\" of app removed, 2 written")
          .contains("0 rows of public.child of app removed, 1 written")
          .contains("the table public.odd of app is not at both servers");
    }
    cluster.servers.get(0).sql("app", "drop table odd");
    assertThat(get("/verify")).contains("\"rowsDifferent\":0,\"differences\":[]");
    assertThat(get("/repair?database=app&table=x")).contains("there is no table x in");
  }

  /** Rows are read without running what their owners have made, and none is left out. */
  private void odd() throws Exception {
    for (Postgres one : cluster.servers) {
      one.sql("postgres", "create table cast_here (id int)");
      one.sql("postgres", "insert into cast_here values (1)");
      one.sql(
          "postgres",
          "create function casts(cast_here) returns text language plpgsql as 'begin raise division_by_zero; end'");
      one.sql("postgres", "create cast (cast_here as text) with function casts(cast_here)");
    }
    assertThat(get("/verify")).contains("\"rowsDifferent\":0");
    cluster.sql("postgres", "alter table cast_here enable row level security");
    assertThat(get("/verify")).contains("row-level security policy for table");
    cluster.sql("postgres", "drop table cast_here cascade");
  }

  private String all(String path) {
    try {
      return get(path);
    } catch (Exception e) {
      throw new CompletionException(e);
    }
  }

  @Test
  void operatorsSeeServersDifferencesAndForeignersAndLetServersInAgain() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.letRowsBeCaptured();
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
    repair(second);
    odd();
    assertThat(get("/explain?database=app&sql=update+kept+set+n=1+where+id=7"))
        .contains("KEY_LOCAL");
    assertThat(get("/explain?database=app&sql=create+database+x"))
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
    // By its rows, or already by the transaction that it misses.
    assertThat(get(add)).contains("; make it a copy");
    cluster.servers.get(1).sql("postgres", "drop database app with (force)");
    assertThat(get(add)).contains("let the replicator's role be a superuser there meanwhile");
    cluster.servers.get(1).sql("postgres", "alter role mgtm superuser");
    assertThat(get(add)).contains("\"databasesCopied\":[\"app\"]");
    assertThat(cluster.replicator.serversIn()).containsExactly(first, second);
    try (Connection alice = cluster.alice()) {
      alice.createStatement().execute("do 'begin insert into kept values (10, 1); end'");
    }
    assertThat(get("/status")).contains("\"captures\":[\"app: on\"]");
    assertThat(get("/verify")).contains("\"rowsDifferent\":0");
  }
}
