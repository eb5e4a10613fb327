package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each command of the jar with {@code --json}, as programs of operators run it. */
class JsonCommandsIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;
  @AutoClose private Cluster cluster;

  private String server(int i) {
    return cluster.servers.get(i).address.toString();
  }

  private String run(int status, String... arguments) throws IOException, InterruptedException {
    List<String> command = Replicators.query(arguments);
    command.addAll(List.of("--at", cluster.replicator.admin().toString()));
    Tools.Result result = Tools.run(folder, Map.of(), command);
    assertThat(result.code()).as("%s: %s", command, result.output()).isEqualTo(status);
    return result.output();
  }

  private JsonNode json(int status, String... arguments) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--json");
    return JSON.readTree(run(status, all.toArray(String[]::new)));
  }

  private static List<String> fields(JsonNode of) {
    List<String> names = new ArrayList<>();
    of.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private void aServer(JsonNode one) {
    assertThat(fields(one))
        .containsExactly(
            "server", "version", "state", "running", "behind", "reads", "writes", "effects", "why");
    assertThat(one.path("version").asText()).isNotEmpty();
    assertThat(one.path("behind").asLong(-1)).isZero();
  }

  @Test
  void eachCommandAnswersInJson() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", "create table kept (id int primary key, n int)");
    cluster.startReplicator();
    try (Connection alice = cluster.alice()) {
      alice.createStatement().execute("insert into kept (id, n) values (1, 1)");
    }
    JsonNode status = json(0, "status");
    assertThat(fields(status))
        .containsExactly(
            "leader",
            "serversIn",
            "serversMin",
            "sessions",
            "servers",
            "captures",
            "adding",
            "foreignBackends");
    assertThat(status.path("leader").asText()).isEqualTo(server(0));
    assertThat(status.path("serversIn").asInt()).isEqualTo(2);
    assertThat(status.path("foreignBackends")).isEmpty();
    aServer(status.path("servers").path(1));

    JsonNode servers = json(0, "servers");
    assertThat(servers).hasSize(2).allSatisfy(this::aServer);
    assertThat(servers.path(0).path("state").asText()).isEqualTo("leader");
    assertThat(servers.path(1).path("effects").asLong()).isOne();
    assertThat(run(0, "servers")).contains("BEHIND", server(1));

    JsonNode explained =
        json(0, "explain", "--database", "app", "delete from kept where id = 1; create database x");
    assertThat(explained).hasSize(2);
    assertThat(fields(explained.path(0)))
        .containsExactly("statement", "class", "why", "runs", "refused", "instead");
    assertThat(explained.path(0).path("class").asText()).isEqualTo("KEY_LOCAL");
    assertThat(explained.path(0).path("refused").isNull()).isTrue();
    assertThat(explained.path(1).path("class").asText()).isEqualTo("REFUSED");
    assertThat(explained.path(1).path("instead").asText()).contains("Stop the replicator");

    assertThat(run(1, "explain", "delete from kept", "--json"))
        .isEqualTo(
            "mgtm: Missing required option: '--database=<database>'; see mgtm query explain --help\n");
    for (String page : List.of("/explain?sql=select+1", "/explain?database=app")) {
      assertThat(Tools.ask(cluster.replicator.admin(), page).path("error").asText())
          .contains(" is missing");
    }

    verifyAndRepair();
    members();
  }

  private void verifyAndRepair() throws Exception {
    JsonNode alike = json(0, "verify");
    assertThat(fields(alike)).containsExactly("servers", "rowsDifferent", "differences");
    assertThat(alike.path("rowsDifferent").asLong(-1)).isZero();
    cluster.servers.get(1).sql("app", "update kept set n = 9 where id = 1");
    JsonNode different = json(1, "verify");
    assertThat(different.path("rowsDifferent").asLong()).isOne();
    assertThat(different.path("differences").path(0).asText()).contains("public.kept of app");
    JsonNode repaired = json(0, "repair", "--database", "app", "public.kept");
    assertThat(fields(repaired))
        .containsExactly("rowsRemoved", "rowsWritten", "repaired", "differences");
    assertThat(repaired.path("rowsWritten").asLong()).isOne();
    assertThat(json(0, "repair", "--all").path("rowsWritten").asLong(-1)).isZero();
  }

  private void members() throws Exception {
    JsonNode promoted = json(0, "promote", server(1));
    assertThat(fields(promoted)).containsExactly("leader", "serversIn");
    assertThat(promoted.path("leader").asText()).isEqualTo(server(1));
    cluster.awaitIn(2);
    JsonNode removed = json(0, "remove-server", server(0));
    assertThat(fields(removed)).containsExactly("removed", "leader", "serversIn");
    assertThat(removed.path("removed").asText()).isEqualTo(server(0));
    assertThat(removed.path("serversIn").asInt()).isOne();
    JsonNode added = json(0, "add-server", server(0));
    assertThat(fields(added)).containsExactly("added", "databasesCopied", "serversIn");
    assertThat(added.path("databasesCopied")).isEmpty();
    assertThat(added.path("serversIn").asInt()).isEqualTo(2);
    assertThat(run(1, "promote", "127.0.0.1:1", "--json")).contains("is none of the servers");
  }
}
