package io.mgtm.query.suite;

import io.mgtm.common.HostPort;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs psql and PostgreSQL's tester of isolation as pg_regress does, each with a bound. */
final class SuitePrograms {
  /** For a script; the longest take some seconds. */
  private static final int LIMIT_S = 120;

  private final Path programs;

  /** With the folders sql, data, specs and results; others may enter it. */
  private final Path folder;

  SuitePrograms(Path programs, Path folder) {
    this.programs = programs;
    this.folder = folder;
  }

  /** What psql prints of a script; each byte a character, since some are of no encoding. */
  String psql(HostPort at, String database, Path script) throws IOException, InterruptedException {
    return run(
        List.of(
            programs.resolve("psql").toString(),
            "-X",
            "-a",
            "-q",
            "-d",
            database,
            "-v",
            "HIDE_TABLEAM=on",
            "-v",
            "HIDE_TOAST_COMPRESSION=on",
            "-v",
            "VERBOSITY=verbose",
            "-f",
            script.toString()),
        at,
        Map.of(),
        null);
  }

  /** What isolationtester prints of a specification. */
  String isolation(Path tester, HostPort at, HostPort leader, String database, Path specification)
      throws IOException, InterruptedException {
    String watch = "host=%s port=%d user=postgres dbname=%s";
    return run(
        List.of(tester.toString(), "dbname=" + database),
        at,
        Map.of(
            "PGISOLATIONTIMEOUT",
            "20",
            "MGTM_LOCKS",
            watch.formatted(leader.host(), leader.port(), database)),
        specification);
  }

  private String run(List<String> command, HostPort at, Map<String, String> environment, Path input)
      throws IOException, InterruptedException {
    List<String> bounded = new ArrayList<>(List.of("timeout", "-k", "5", LIMIT_S + ""));
    bounded.addAll(command);
    Path output = Files.createTempFile(folder, "program", ".out");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(bounded)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectInput(input == null ? Path.of("/dev/null").toFile() : input.toFile())
              .redirectOutput(output.toFile());
      Map<String, String> all = builder.environment();
      all.keySet().removeIf(name -> name.startsWith("PG") || name.startsWith("LC_"));
      all.putAll(
          Map.of(
              "PGHOST",
              at.host(),
              "PGPORT",
              at.port() + "",
              "PGUSER",
              "postgres",
              "PGAPPNAME",
              "pg_regress",
              "LANG",
              "C",
              "PG_ABS_SRCDIR",
              folder + "",
              "PG_ABS_BUILDDIR",
              folder + "",
              "PG_LIBDIR",
              folder + "",
              "PG_DLSUFFIX",
              ".so"));
      all.putAll(environment);
      int status = builder.start().waitFor();
      String text = Files.readString(output, StandardCharsets.ISO_8859_1);
      return status == 124 ? text + "\ntoo slow: ended after " + LIMIT_S + " s\n" : text;
    } finally {
      Files.delete(output);
    }
  }
}
