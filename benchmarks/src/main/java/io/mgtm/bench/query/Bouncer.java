package io.mgtm.bench.query;

import io.mgtm.bench.volume.Exec;
import io.mgtm.bench.volume.Servant;
import io.mgtm.common.HostPort;
import io.mgtm.query.local.LocalPostgres;
import io.mgtm.query.local.LocalProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * Debian's PgBouncer before one server, each client with a connection of its own as the replicator
 * has it. One thread.
 */
final class Bouncer implements AutoCloseable {
  private static final String PROGRAM = "pgbouncer";

  private final HostPort at;
  private final Servant process;

  private Bouncer(HostPort at, Servant process) {
    this.at = at;
    this.process = process;
  }

  static boolean isInstalled() {
    return Exec.has(PROGRAM);
  }

  /**
   * Starts it, and waits until it takes clients.
   *
   * @param clients at a time
   */
  static Bouncer start(Path folder, LocalPostgres server, int clients)
      throws IOException, InterruptedException {
    HostPort at = LocalPostgres.free();
    Path own = Files.createDirectories(folder.resolve(PROGRAM));
    Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxrwxrwx"));
    HostPort to = server.address();
    Path file =
        Files.writeString(
            own.resolve("pgbouncer.ini"),
            """
            [databases]
            * = host=%s port=%d user=postgres
            [pgbouncer]
            listen_addr = %s
            listen_port = %d
            unix_socket_dir =
            auth_type = any
            pool_mode = session
            max_client_conn = %d
            default_pool_size = %5$d
            """
                .formatted(to.host(), to.port(), at.host(), at.port(), clients + 4));
    Servant process =
        Servant.start(
            PROGRAM,
            folder,
            LocalProgram.asPostgres(List.of(PROGRAM, "-q", file.toString())),
            () -> Pool.answers(at));
    return new Bouncer(at, process);
  }

  HostPort at() {
    return at;
  }

  @Override
  public void close() throws IOException {
    process.close();
  }
}
