package io.mgtm.bench.query;

import io.mgtm.bench.volume.Exec;
import io.mgtm.bench.volume.Servant;
import io.mgtm.common.HostPort;
import io.mgtm.query.local.LocalPostgres;
import io.mgtm.query.local.LocalProgram;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Debian's pgpool-II before two servers. One thread. */
final class Pool implements AutoCloseable {
  private static final String PROGRAM = "pgpool";
  private static final int CONNECT_MS = 200;

  /** How it keeps servers alike. */
  enum Mode {
    NATIVE("native_replication", "on"),

    /**
     * Its servers are to have repeatable read by default. All read the first: of a read elsewhere
     * pgpool 4.3 says that it has left a transaction open, which ends pgbench's clients.
     */
    SNAPSHOT("snapshot_isolation", "off");

    private final String clustering;
    private final String balances;

    Mode(String clustering, String balances) {
      this.clustering = clustering;
      this.balances = balances;
    }
  }

  private final Mode mode;
  private final HostPort at;
  private final Path folder;
  private final List<String> command;
  private Servant process;

  private Pool(Mode mode, HostPort at, Path folder, List<String> command) {
    this.mode = mode;
    this.at = at;
    this.folder = folder;
    this.command = command;
  }

  static boolean isInstalled() {
    return Exec.has(PROGRAM);
  }

  /**
   * Starts it, and waits until it takes clients.
   *
   * @param clients at a time
   */
  static Pool start(Mode mode, Path folder, List<LocalPostgres> servers, int clients)
      throws IOException, InterruptedException {
    HostPort at = LocalPostgres.free();
    Path own = Files.createDirectories(folder.resolve("pgpool-" + mode.clustering));
    Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxrwxrwx"));
    StringBuilder config =
        new StringBuilder(
            """
            backend_clustering_mode = '%s'
            listen_addresses = '%s'
            port = %d
            pcp_listen_addresses = '127.0.0.1'
            pcp_port = %d
            unix_socket_directories = '%3$s'
            pcp_socket_dir = '%3$s'
            wd_ipc_socket_dir = '%3$s'
            pid_file_name = '%3$s/pgpool.pid'
            logdir = '%3$s'
            num_init_children = %d
            max_pool = 1
            reserved_connections = 0
            load_balance_mode = %s
            enable_pool_hba = off
            pool_passwd = ''
            memory_cache_enabled = off
            sr_check_period = 0
            health_check_period = 0
            """
                .replace("%3$s", own.toString())
                .formatted(
                    mode.clustering,
                    at.host(),
                    at.port(),
                    LocalPostgres.free().port(),
                    clients + 4,
                    mode.balances));
    for (int i = 0; i < servers.size(); i++) {
      HostPort server = servers.get(i).address();
      config.append("backend_hostname%d = '%s'\n".formatted(i, server.host()));
      config.append("backend_port%d = %d\nbackend_weight%d = 1\n".formatted(i, server.port(), i));
      config.append("backend_data_directory%d = '%s'\n".formatted(i, own));
      config.append("backend_flag%d = 'ALLOW_TO_FAILOVER'\n".formatted(i));
    }
    Path file = Files.writeString(own.resolve("pgpool.conf"), config);
    Path pcp = Files.writeString(own.resolve("pcp.conf"), "");
    List<String> command = List.of(PROGRAM, "-n", "-f", file.toString(), "-F", pcp.toString());
    Pool pool = new Pool(mode, at, folder, LocalProgram.asPostgres(command));
    pool.startAgain();
    return pool;
  }

  /** Ends it, if it runs, and starts it. */
  void startAgain() throws IOException, InterruptedException {
    if (process != null) {
      end();
    }
    process = Servant.start(PROGRAM + "-" + mode.clustering, folder, command, () -> answers(at));
  }

  static boolean answers(HostPort at) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(at.host(), at.port()), CONNECT_MS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  HostPort at() {
    return at;
  }

  /** At once, with its children, of which one may wait for ever. */
  private void end() throws IOException, InterruptedException {
    List<String> stop =
        Stream.concat(command.stream(), Stream.of("-m", "immediate", "stop")).toList();
    LocalProgram.run(folder, Map.of(), stop);
    process.close();
  }

  @Override
  public void close() throws IOException {
    try {
      end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
