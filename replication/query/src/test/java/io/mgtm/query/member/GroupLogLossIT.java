package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All replicators lose power at once, and with it the end of their log. */
@Tag("long")
class GroupLogLossIT {
  private static final int COUNT = 3;

  @TempDir private Path folder;
  private Cluster cluster;
  private Replicators replicators;

  @AfterEach
  void stop() throws Exception {
    if (replicators != null) {
      replicators.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  private void count() throws Exception {
    replicators.psql("update counter set n = n + 1 where id = 1").succeeded();
  }

  private int serversIn() throws Exception {
    return replicators.ask(replicators.awaitServing(), "/status").path("serversIn").asInt();
  }

  /** The first entries of who begins get the numbers of those that were lost. */
  @Test
  void whoWasOutIsNotLetInWithoutTheLastTransaction() throws Exception {
    Tools.needPostgres();
    String sql =
        "create table counter (id int primary key, n int); insert into counter values (1, 0)";
    cluster = new Cluster(folder, 2, "dtp", sql);
    replicators = new Replicators(cluster, COUNT);
    replicators.startAll();
    count();
    cluster.servers.get(1).kill();
    count();
    Await.until("it to be out", () -> serversIn() == 1);
    for (int i = 1; i <= COUNT; i++) {
      Tools.copy(folder.resolve("q" + i), folder.resolve("older" + i));
    }
    count();
    for (int i = 0; i < COUNT; i++) {
      replicators.kill(i);
      replicators.loseData(i);
      Tools.copy(folder.resolve("older" + (i + 1)), folder.resolve("q" + (i + 1)));
    }
    cluster.servers.get(1).startAgain();
    replicators.startAll();

    assertThat(replicators.anySays("rows are compared")).isTrue();
    assertThat(serversIn()).isEqualTo(1);
    count();
    assertThat(cluster.servers.get(0).number("select n from counter")).isEqualTo(4);
  }
}
