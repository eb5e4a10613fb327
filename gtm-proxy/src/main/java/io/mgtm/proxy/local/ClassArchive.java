package io.mgtm.proxy.local;

import io.mgtm.gtm.cli.ClassTraining;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The archive of the classes that processes of one jar load, which takes away nearly half of the
 * work of their start. Made once beside the jar, for the JVM that runs this; processes start
 * without it too. Any thread.
 */
final class ClassArchive {
  private static final Logger LOG = LoggerFactory.getLogger(ClassArchive.class);
  private static final int MAKE_S = 90;

  private ClassArchive() {}

  /**
   * The JVM's options that use it. None when the class path is not one jar, as the JVM demands, or
   * when it cannot be made; the log says why.
   *
   * @param java the program that runs the processes
   */
  static synchronized List<String> options(String java, String classPath)
      throws InterruptedException {
    Path jar = Path.of(classPath);
    if (!Files.isRegularFile(jar)) {
      return List.of();
    }
    String version = Runtime.version().toString().replaceAll("[^0-9a-zA-Z.]", "-");
    Path archive = jar.resolveSibling(jar.getFileName() + "-" + version + ".jsa").toAbsolutePath();
    try {
      if (isOlder(archive, jar)) {
        make(java, classPath, archive);
      }
      return List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:cds=off", "-Xlog:cds+dynamic=off");
    } catch (IOException e) {
      LOG.warn("starts without an archive of classes: {}", e.getMessage());
      return List.of();
    }
  }

  private static boolean isOlder(Path archive, Path jar) throws IOException {
    return !Files.exists(archive)
        || Files.getLastModifiedTime(archive).compareTo(Files.getLastModifiedTime(jar)) < 0;
  }

  /** Another process that does the same at the same time does no harm: the move is atomic. */
  private static void make(String java, String classPath, Path archive)
      throws IOException, InterruptedException {
    LOG.info("makes an archive of the classes once, {}", archive);
    Path folder = Files.createTempDirectory(archive.getParent(), "classes");
    try {
      Path made = folder.resolve("classes.jsa");
      Path log = folder.resolve("log");
      List<String> command = new ArrayList<>(List.of(java));
      command.addAll(LocalSettings.JVM_OPTIONS);
      command.add("-XX:ArchiveClassesAtExit=" + made);
      command.addAll(List.of("-cp", classPath, ClassTraining.class.getName(), folder.toString()));
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      boolean ended = process.waitFor(MAKE_S, TimeUnit.SECONDS);
      if (!ended) {
        process.destroyForcibly().waitFor();
      }
      if (!Files.exists(made)) {
        throw new IOException(
            ended ? "it was not made: " + lastLine(log) : "not made in " + MAKE_S + " s");
      }
      Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Trees.delete(folder);
    }
  }

  private static String lastLine(Path log) throws IOException {
    List<String> lines = Files.readAllLines(log);
    return lines.isEmpty() ? "nothing was printed" : lines.get(lines.size() - 1);
  }
}
