package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The disk of a server is full while clients write. */
@Tag("long")
class FullServerIT {
  private static final int SOME = 60;

  /** Rows that need room. */
  private static final String TABLES =
      Transfers.TABLES + ";create table big (id bigserial primary key, t text not null)";

  @TempDir private Path folder;
  private Path mounted;
  private Cluster cluster;
  private Transfers transfers;

  @BeforeAll
  static void need() {
    Tools.needPostgres();
  }

  @AfterEach
  void stop() throws Exception {
    if (transfers != null) {
      transfers.end();
    }
    if (cluster != null) {
      cluster.close();
    }
    if (mounted != null) {
      shell("umount -l " + mounted).succeeded();
    }
  }

  private Tools.Result shell(String script) throws Exception {
    return Tools.run(folder, Map.of(), List.of("/bin/sh", "-c", script));
  }

  /** What the server has goes to a small disk. */
  private void start(int server) throws Exception {
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    Path place = folder.resolve("pg" + server);
    cluster.servers.get(server).shutDown();
    shell("mv %1$s %1$s.was && mkdir %1$s".formatted(place)).succeeded();
    Tools.Result done = shell("mount -t tmpfs -o size=300m mgtm " + place);
    if (done.code() != 0) {
      System.out.println("SKIPPED: no file system can be mounted here: " + done.output());
    }
    Assumptions.assumeTrue(done.code() == 0, "SKIPPED: no file system can be mounted here");
    mounted = place;
    shell("cp -a %1$s.was/. %1$s".formatted(place)).succeeded();
    cluster.servers.get(server).startAgain();
    cluster.startReplicator();
    // Each leaves a row that needs some more room.
    transfers =
        new Transfers(
            cluster,
            4,
            (connection, client, number) -> {
              connection
                  .createStatement()
                  .execute(
                      "insert into big (t) select string_agg(md5(random()::text), '') from generate_series(1, 1000)");
              Transfers.move(connection, client, number);
            });
  }

  private void more() {
    long before = transfers.done();
    Await.until("more moves", () -> transfers.done() >= before + SOME);
  }

  /** It fails where the leader does not, and is let in by hand when there is room. */
  @Test
  void serverThatFollowsIsPutOut() throws Exception {
    start(1);
    more();
    shell("cat /dev/zero >%s/filler 2>/dev/null".formatted(mounted));
    Await.until("it to be out", () -> cluster.replicator.serversIn().size() == 1);
    more();
    assertThat(transfers.told()).isEmpty();
    assertThat(cluster.replicator.whyOut(1)).contains("No space left on device");
    shell("rm %s/filler".formatted(mounted)).succeeded();
    JsonNode added =
        Tools.ask(
            cluster.replicator.admin(), "/add-server?server=" + cluster.servers.get(1).address);
    assertThat(cluster.replicator.serversIn()).as("%s", added).hasSize(2);
    more();
    transfers.end();
    cluster.assertMoved(transfers);
  }
}
