package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.local.LocalProgram;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/**
 * The programs of a PostgreSQL server of another major version than Debian's, which are in a jar of
 * the class path: initdb, pg_ctl and postgres, and none for clients.
 */
final class OtherPostgres {
  private static final Map<String, String> ARCHIVES =
      Map.of("amd64", "postgres-linux-x86_64.txz", "aarch64", "postgres-linux-arm_64.txz");

  private OtherPostgres() {}

  /**
   * Unpacks them, where any user may run them: PostgreSQL does not run as root. Skips the class,
   * and says why, where there are none for this processor.
   *
   * @param folder of a test
   * @return the folder of initdb
   */
  static Path unpack(Path folder) throws Exception {
    Tools.needPostgres();
    String arch = System.getProperty("os.arch");
    String name = ARCHIVES.get(arch);
    try (InputStream archive =
        name == null ? null : OtherPostgres.class.getResourceAsStream("/" + name)) {
      if (archive == null) {
        System.out.println("SKIPPED: there is no other PostgreSQL for " + arch);
      }
      Assumptions.assumeTrue(archive != null, "there is no other PostgreSQL for " + arch);
      Path file = folder.resolve(name);
      Files.copy(archive, file);
      Path programs = Files.createDirectory(folder.resolve("programs"));
      LocalProgram.succeed(
          folder,
          Map.of(),
          List.of("tar", "-xJf", file.toString(), "-C", programs.toString(), "--exclude=*.a"));
      Files.delete(file);
      for (Path one : List.of(folder, programs)) {
        Files.setPosixFilePermissions(one, PosixFilePermissions.fromString("rwxr-xr-x"));
      }
      assertThat(programs.resolve("bin").resolve("initdb")).isExecutable();
      return programs.resolve("bin");
    }
  }
}
