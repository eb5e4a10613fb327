package io.mgtm.bench.ha;

import io.mgtm.bench.volume.Exec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The database systems that are tried. */
public enum Engine {
  POSTGRESQL("PostgreSQL", "postgres", 5432) {
    @Override
    String missingProgram() {
      return Exec.postgres() == null
          ? "no PostgreSQL in /usr/lib/postgresql; it is in Debian's package postgresql"
          : Exec.has("psql") ? "" : "psql is not installed";
    }

    @Override
    public String creation(Path data) {
      return """
          set -e
          install -d -o postgres -m 700 %1$s
          cd /
          su postgres -s /bin/sh -c "$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)/initdb -N -D %1$s \
            -A trust -U postgres -E UTF8 --locale=C --wal-segsize=1"
          echo 'host all all 0.0.0.0/0 trust' >>%1$s/pg_hba.conf
          cat >%1$s/postgresql.auto.conf <<'CONF'
          listen_addresses = '*'
          unix_socket_directories = '/run/postgresql'
          max_wal_size = 64MB
          max_connections = 50
          CONF
          """
          .formatted(data);
    }

    @Override
    String resource(Path data) {
      return "{kit: postgresql, on: [data, address], parameters: {data: %s, port: %d}}"
          .formatted(data, port());
    }

    @Override
    List<String> session(String host) {
      return List.of("psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", connection(host));
    }

    /** A dead server is noticed in seconds, one that only waits never. */
    @Override
    String connection(String host) {
      return patient(host)
          + " connect_timeout=5 tcp_user_timeout=1500"
          + " keepalives_idle=1 keepalives_interval=1 keepalives_count=2";
    }

    @Override
    String patient(String host) {
      return "host=%s port=%d user=postgres dbname=postgres".formatted(host, port());
    }
  },

  MARIADB("MariaDB", "mariadbd", 3306) {
    @Override
    String missingProgram() {
      for (String program : List.of("mariadbd", "mariadb", "mariadb-install-db")) {
        if (!Exec.has(program)) {
          return program
              + " is not installed; see Debian's packages mariadb-server-core and mariadb-client-core";
        }
      }
      return "";
    }

    /** The packages' user is there when the server's package, and not its core alone, is. */
    @Override
    public String creation(Path data) {
      return """
          set -e
          user=$(getent passwd mysql >/dev/null && echo mysql || echo nobody)
          install -d -o $user -m 700 %1$s
          mariadb-install-db --no-defaults --user=$user --datadir=%1$s --skip-test-db --innodb-log-file-size=8M
          """
          .formatted(data);
    }

    @Override
    String resource(Path data) {
      // Its user, who is not root, may make the socket in its data folder alone.
      return ("{kit: mariadb, on: [data, address], parameters: {data: %s, port: %d, socket: %s,"
              + " config: /dev/null, options: \"--skip-grant-tables --bind-address=0.0.0.0"
              + " --skip-networking=0 --innodb-log-file-size=8M\"}}")
          .formatted(data, port(), data.resolve("my.sock"));
    }

    @Override
    List<String> session(String host) {
      return List.of(
          "mariadb",
          "--no-defaults",
          "--host=" + host,
          "--port=" + port(),
          "--user=root",
          "--connect-timeout=5",
          "--unbuffered",
          "-NB",
          "mysql");
    }

    @Override
    String connection(String host) {
      throw new UnsupportedOperationException("pgbench is PostgreSQL's");
    }

    @Override
    String patient(String host) {
      return connection(host);
    }
  };

  private final String title;
  private final String program;
  private final int port;

  Engine(String title, String program, int port) {
    this.title = title;
    this.program = program;
    this.port = port;
  }

  /** What it lacks here, as a sentence; empty when nothing. */
  abstract String missingProgram();

  /**
   * Commands for a shell, as root, that make an empty database in this folder, which is not there.
   */
  public abstract String creation(Path data);

  /**
   * Its resource in a configuration.
   *
   * @param data where its data folder is mounted
   */
  abstract String resource(Path data);

  /** A client that reads statements from its input, and prints values alone. */
  abstract List<String> session(String host);

  /** How pgbench is told where to connect. */
  abstract String connection(String host);

  /** The same, where a server that is slow to answer is waited for. */
  abstract String patient(String host);

  String title() {
    return title;
  }

  /** Of its server's processes. */
  String program() {
    return program;
  }

  int port() {
    return port;
  }

  /** Why it cannot be tried here, on volumes and machines of namespaces; empty when it can. */
  Optional<String> missing() {
    Optional<String> machine = Machine.missing();
    if (machine.isPresent()) {
      return machine;
    }
    for (String needed :
        List.of("nbdfuse", "fusermount3", "losetup", "mkfs.ext4", "arping", "setpriv")) {
      if (!Exec.has(needed)) {
        return Optional.of(
            needed + " is not installed; see ./mgtm test, which installs what is needed");
      }
    }
    if (!Files.exists(Path.of("/dev/fuse")) || !Files.exists(Path.of("/dev/loop-control"))) {
      return Optional.of("/dev/fuse or loop devices are missing");
    }
    return Optional.of(missingProgram()).filter(text -> !text.isEmpty());
  }

  /** The server's own process on a machine, which began the others; empty when none runs. */
  Optional<ProcessHandle> server(Machine machine) {
    List<ProcessHandle> all = machine.processes(program);
    return all.stream().filter(one -> one.parent().filter(all::contains).isEmpty()).findFirst();
  }
}
