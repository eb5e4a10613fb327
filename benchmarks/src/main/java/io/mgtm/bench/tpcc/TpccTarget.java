package io.mgtm.bench.tpcc;

import io.mgtm.common.SecretFile;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/** Which database, and as whom. Its password comes from a file or the environment alone. */
final class TpccTarget {
  /** For programs that have no file to name. */
  static final String PASSWORD_VARIABLE = "MGTM_TPCC_PASSWORD";

  private static final Pattern SECRET =
      Pattern.compile("[?&;](?:\\w*password\\w*)=|//[^/?]*:[^/?]*@", Pattern.CASE_INSENSITIVE);

  @Option(
      names = "--url",
      required = true,
      paramLabel = "URL",
      description = {
        "Of JDBC, without a password: jdbc:postgresql://HOST:PORT/DATABASE or"
            + " jdbc:mariadb://HOST:PORT/DATABASE, with the driver's own options."
      })
  private String url;

  @Option(names = "--user", paramLabel = "NAME", description = "Default: the driver's.")
  private String user;

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = {
        "Its first line is the user's password. Default: the environment's "
            + PASSWORD_VARIABLE
            + ", else none."
      })
  private Path passwordFile;

  @Option(
      names = "--database",
      paramLabel = "KIND",
      converter = Database.Converter.class,
      description = "postgresql, mariadb (MySQL too), postgres-xc. Default: by the address.")
  private Database database;

  /** A database that asks for no password. */
  static TpccTarget of(String url, String user) {
    TpccTarget target = new TpccTarget();
    target.url = url;
    target.user = user;
    return target;
  }

  /** What kind it is. */
  Database database() {
    if (database != null) {
      return database;
    }
    return url.startsWith(Database.MARIADB.scheme()) ? Database.MARIADB : Database.POSTGRESQL;
  }

  /** The address without the driver's options. */
  String shownUrl() {
    int options = url.indexOf('?');
    return options < 0 ? url : url.substring(0, options);
  }

  /**
   * How sessions are opened.
   *
   * @param statementS how long a statement may take, in seconds
   * @throws IllegalArgumentException for an address that cannot be used
   * @throws IOException when the password cannot be read
   */
  Sessions sessions(int isolation, int statementS) throws IOException {
    if (SECRET.matcher(url).find()) {
      throw new IllegalArgumentException(
          "--url must hold no password, which others could see; use --password-file");
    }
    if (!url.startsWith(database().scheme())) {
      throw new IllegalArgumentException(
          "--url of %s must begin with %s".formatted(database().title(), database().scheme()));
    }
    Properties properties = new Properties();
    if (user != null) {
      properties.setProperty("user", user);
    }
    String password = password();
    if (password != null) {
      properties.setProperty("password", password);
    }
    database().configure(properties, statementS);
    return () -> open(properties, isolation);
  }

  private String password() throws IOException {
    return passwordFile == null
        ? System.getenv(PASSWORD_VARIABLE)
        : SecretFile.firstLine("--password-file", passwordFile);
  }

  private Session open(Properties properties, int isolation) throws IOException {
    Connection connection = null;
    try {
      connection = DriverManager.getConnection(url, properties);
      return new Session(connection, isolation);
    } catch (SQLException e) {
      close(connection, e);
      throw SqlErrors.sentence("cannot connect to " + shownUrl(), e);
    }
  }

  private static void close(Connection connection, SQLException because) {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (SQLException e) {
      because.addSuppressed(e);
    }
  }
}
