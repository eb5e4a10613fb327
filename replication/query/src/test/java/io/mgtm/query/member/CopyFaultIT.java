package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** Servers that die while a COPY runs, and one of a gigabyte. */
@Tag("long")
class CopyFaultIT {
  private static final int LINES = 100_000;

  /** The others are given its data. */
  private static final String LOADED = "loaded";

  /** They are given the rows that were captured. */
  private static final String STAMPED = "stamped";

  @TempDir private Path folder;
  @AutoClose private Cluster cluster;

  @BeforeEach
  void start() throws Exception {
    Tools.needPostgres();
    cluster =
        new Cluster(
            folder,
            2,
            "create table loaded (id int primary key, name text);"
                + " create table stamped (id int primary key, name text,"
                + " at timestamptz default clock_timestamp())");
    cluster.letRowsBeCaptured();
    cluster.spoolBytes = 2L << 30;
    cluster.startReplicator();
  }

  private static CopyIn begin(Connection alice, String table) throws SQLException {
    return alice
        .unwrap(PGConnection.class)
        .getCopyAPI()
        .copyIn("copy " + table + " (id, name) from stdin");
  }

  private long count(int server, String table) throws SQLException {
    return cluster.servers.get(server).number("select count(*) from " + table);
  }

  private static void write(CopyIn in, int from, int to, String name) throws SQLException {
    StringBuilder lines = new StringBuilder();
    for (int i = from; i < to; i++) {
      lines.append(i).append('\t').append(name).append('\n');
    }
    byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
    in.writeToCopy(bytes, 0, bytes.length);
  }

  @ParameterizedTest
  @ValueSource(strings = {LOADED, STAMPED})
  void itGoesOnWithoutTheServerThatDies(String table) throws Exception {
    try (Connection alice = cluster.alice()) {
      CopyIn in = begin(alice, table);
      write(in, 0, LINES / 2, "x");
      cluster.servers.get(1).kill();
      write(in, LINES / 2, LINES, "x");
      assertThat(in.endCopy()).isEqualTo(LINES);
      Await.until("it to be out", () -> cluster.replicator.serversIn().size() == 1);
      assertThat(count(0, table)).isEqualTo(LINES);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {LOADED, STAMPED})
  void nothingIsLeftWhereTheLeaderDies(String table) throws Exception {
    try (Connection alice = cluster.alice()) {
      CopyIn in = begin(alice, table);
      write(in, 0, LINES / 2, "x");
      cluster.servers.get(0).kill();
      Await.until("it to be out", () -> cluster.replicator.serversIn().size() == 1);
      assertThatThrownBy(
              () -> {
                write(in, LINES / 2, LINES, "x");
                in.endCopy();
              })
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("40001"));
      assertThat(count(1, table)).isZero();
      CopyIn again = begin(alice, table);
      write(again, 0, LINES, "x");
      assertThat(again.endCopy()).isEqualTo(LINES);
      assertThat(count(1, table)).isEqualTo(LINES);
    }
  }

  @Test
  void aGigabyteGoesThroughBoundedMemory() throws Exception {
    ByteBufAllocatorMetricProvider memory =
        (ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT;
    long most = 0;
    int rows = 1 << 20;
    int step = 1 << 10;
    String name = "y".repeat(1 << 10);
    try (Connection alice = cluster.alice()) {
      CopyIn in = begin(alice, LOADED);
      for (int i = 0; i < rows; i += step) {
        write(in, i, i + step, name);
        most = Math.max(most, memory.metric().usedDirectMemory());
      }
      assertThat(cluster.replicator.spooledBytes()).isGreaterThan(1L << 29);
      assertThat(in.endCopy()).isEqualTo(rows);
    }
    assertThat(most).isLessThan(64L << 20);
    assertThat(cluster.replicator.spooledBytes()).isZero();
    assertThat(cluster.replicator.verify()).isEmpty();
    assertThat(count(1, LOADED)).isEqualTo(rows);
  }
}
