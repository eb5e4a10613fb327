package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;
import org.postgresql.copy.CopyOut;

/** A gigabyte through a replicator that is a process with less memory. */
@Tag("long")
class LargeCopyIT {
  private static final int ROWS = 1 << 20;
  private static final int NAME_BYTES = 1 << 10;
  private static final int STEP = 1 << 10;

  @TempDir private Path folder;
  private Cluster cluster;
  private LoneReplicator replicator;

  @AfterEach
  void stop() throws Exception {
    if (replicator != null) {
      replicator.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void itGoesInAndOut() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", "create table loaded (id int primary key, name text)");
    // Of what is not on the heap there may be as much.
    replicator = new LoneReplicator(cluster, "-Xmx256m", "-XX:+ExitOnOutOfMemoryError");
    replicator.start();
    try (Connection alice = cluster.alice()) {
      CopyManager copying = alice.unwrap(PGConnection.class).getCopyAPI();
      assertThat(in(copying)).isEqualTo(ROWS);
      assertThat(cluster.number("select count(*) from loaded")).isEqualTo(ROWS);
      assertThat(cluster.number("select sum(hashtext(name || id)::int8) from loaded")).isNotZero();
      assertThat(out(copying)).isGreaterThan((long) ROWS * NAME_BYTES);
      alice.createStatement().executeUpdate("insert into loaded values (-1, 'goes on')");
    }
    assertThat(cluster.number("select count(*) from loaded")).isEqualTo(ROWS + 1);
    assertThat(replicator.said()).doesNotContain("OutOfMemory", " is out:");
    assertThat(replicator.isAlive()).isTrue();
  }

  private static long in(CopyManager copying) throws Exception {
    CopyIn in = copying.copyIn("copy loaded from stdin");
    String name = "\t" + "y".repeat(NAME_BYTES) + "\n";
    for (int i = 0; i < ROWS; i += STEP) {
      StringBuilder lines = new StringBuilder();
      for (int row = i; row < i + STEP; row++) {
        lines.append(row).append(name);
      }
      byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
      in.writeToCopy(bytes, 0, bytes.length);
    }
    return in.endCopy();
  }

  /** How many bytes came, in as many lines as there are rows. */
  private static long out(CopyManager copying) throws Exception {
    CopyOut out = copying.copyOut("copy loaded to stdout");
    long count = 0;
    long rows = 0;
    for (byte[] row = out.readFromCopy(); row != null; row = out.readFromCopy()) {
      count += row.length;
      rows++;
    }
    assertThat(rows).isEqualTo(ROWS);
    return count;
  }
}
