package io.mgtm.query.cli;

import io.mgtm.common.Cli;
import io.mgtm.group.net.FreePorts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;

/**
 * Does once what a member of a group does when it starts. Run with {@code -XX:DumpLoadedClassList},
 * it leaves the list of the classes that a replicator loads; an archive of them lets later
 * processes of the same class path start, and take servers over, with half the work. There is no
 * server here, so that what a member does with servers is loaded, and not done.
 */
public final class ClassTraining {
  private static final String OWN = "io/mgtm/query/";
  private static final String CLASS = ".class";

  private ClassTraining() {}

  /**
   * Runs a member in this JVM until that is ended.
   *
   * @param args a folder for the member's data, which the caller deletes when the process is gone
   */
  public static void main(String[] args) throws IOException, ClassNotFoundException {
    loadAll();
    List<Integer> ports = FreePorts.take(3);
    String[] start = {
      "start",
      "--listen=127.0.0.1:0",
      "--server=127.0.0.1:1",
      "--server=127.0.0.1:2",
      "--data=" + Path.of(args[0], "q1"),
      "--name=q1",
      "--members=q1=127.0.0.1:%d,q2=127.0.0.1:%d,q3=127.0.0.1:%d".formatted(ports.toArray())
    };
    System.exit(Cli.run(QueryMain.commandLine(), start));
  }

  /** All classes of this module, none of which is begun. */
  private static void loadAll() throws IOException, ClassNotFoundException {
    ClassLoader loader = ClassTraining.class.getClassLoader();
    String jar = ClassTraining.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    try (JarFile all = new JarFile(jar)) {
      for (String name : all.stream().map(Object::toString).toList()) {
        if (name.startsWith(OWN) && name.endsWith(CLASS)) {
          String path = name.substring(0, name.length() - CLASS.length());
          Class.forName(path.replace('/', '.'), false, loader);
        }
      }
    }
  }
}
