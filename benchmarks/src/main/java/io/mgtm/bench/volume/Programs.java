package io.mgtm.bench.volume;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.local.JavaCommand;
import io.mgtm.local.LocalInstallation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The programs that are measured, as command lines and how to tell that they serve. */
final class Programs {
  /** What fio calls the volume in all of them. */
  static final String EXPORT = "bench";

  private final Path folder;
  private final Path volumeJar;
  private final String size;
  private final List<String> javaOptions;
  private final LocalInstallation.Placement placement;

  /**
   * Programs that keep their sockets and logs in {@code folder}.
   *
   * @param volumeJar {@code mgtm-volume.jar}
   * @param size the volumes' size, such as 1G
   * @param javaOptions for the volume's JVM
   */
  Programs(Path folder, Path volumeJar, String size, List<String> javaOptions) {
    this(folder, volumeJar, size, javaOptions, (name, command) -> command);
  }

  private Programs(
      Path folder,
      Path volumeJar,
      String size,
      List<String> javaOptions,
      LocalInstallation.Placement placement) {
    this.folder = folder;
    this.volumeJar = volumeJar;
    this.size = size;
    this.javaOptions = List.copyOf(javaOptions);
    this.placement = placement;
  }

  /** The same with each volume run where {@code placement} says. */
  Programs placed(LocalInstallation.Placement where) {
    return new Programs(folder, volumeJar, size, javaOptions, where);
  }

  Path socket(String name) {
    return folder.resolve(name + ".sock");
  }

  /** The socket's path, without what an earlier server left there. */
  private Path freshSocket(String name) throws IOException {
    Files.deleteIfExists(socket(name));
    return socket(name);
  }

  /** A volume over {@code file}, with its metadata beside. */
  Servant volume(String name, Path file, String... more) throws IOException, InterruptedException {
    List<String> command = JavaCommand.of(javaOptions);
    command.addAll(List.of("-jar", volumeJar.toString(), "start", "--name", EXPORT));
    command.addAll(List.of("--file", file.toString(), "--size", size));
    command.addAll(List.of("--listen", "unix:" + socket(name)));
    command.addAll(List.of(more));
    return Servant.start(name, folder, placement.place(name, command), () -> answers(file));
  }

  private boolean answers(Path file) {
    try {
      return status(file).path("name").isTextual();
    } catch (IOException e) {
      return false;
    }
  }

  /** The status of the volume over {@code file}. */
  JsonNode status(Path file) throws IOException {
    return ask(file, "{\"command\":\"status\"}");
  }

  JsonNode ask(Path file, String command) throws IOException {
    return VolumeControl.ask(file, command);
  }

  boolean isUpToDate(Path file) throws IOException {
    JsonNode links = status(file).path("links");
    return links.size() > 0 && links.path(0).path("state").asText().equals("up-to-date");
  }

  /** What the first replica of the volume over {@code file} has not acknowledged yet. */
  long queuedBytes(Path file) throws IOException {
    return status(file).path("links").path(0).path("queuedBytes").asLong();
  }

  Servant nbdkit(String name, Path file) throws IOException, InterruptedException {
    Path socket = freshSocket(name);
    return Servant.start(
        name,
        folder,
        List.of("nbdkit", "-f", "-U", socket.toString(), "file", file.toString()),
        () -> Files.exists(socket));
  }

  /** A storage daemon over one file, at a UNIX socket. */
  Servant storageDaemon(String name, Path file) throws IOException, InterruptedException {
    Path socket = freshSocket(name);
    return Servant.start(
        name,
        folder,
        daemon(List.of("--blockdev", blockdev(file, "export")), unix(socket)),
        () -> Files.exists(socket));
  }

  /** A storage daemon over one file, at a TCP port of the loopback. */
  Servant storageDaemonAt(String name, Path file, int port)
      throws IOException, InterruptedException {
    Path pid = folder.resolve(name + ".pid");
    Files.deleteIfExists(pid);
    List<String> command =
        daemon(
            List.of("--blockdev", blockdev(file, "export")),
            "addr.type=inet,addr.host=127.0.0.1,addr.port=" + port);
    command.addAll(List.of("--pidfile", pid.toString()));
    return Servant.start(name, folder, command, () -> Files.exists(pid));
  }

  /** A storage daemon that writes to a file and to another daemon, and waits for both. */
  Servant quorum(String name, Path file, int port) throws IOException, InterruptedException {
    Path socket = freshSocket(name);
    String far =
        "driver=nbd,node-name=far,server.type=inet,server.host=127.0.0.1,server.port="
            + port
            + ",export="
            + EXPORT;
    String both = "driver=quorum,node-name=export,vote-threshold=2,children.0=near,children.1=far";
    return Servant.start(
        name,
        folder,
        daemon(
            List.of("--blockdev", blockdev(file, "near"), "--blockdev", far, "--blockdev", both),
            unix(socket)),
        () -> Files.exists(socket));
  }

  private static String unix(Path socket) {
    return "addr.type=unix,addr.path=" + socket;
  }

  private static String blockdev(Path file, String node) {
    return "driver=file,node-name=" + node + ",filename=" + file + ",discard=unmap";
  }

  private static List<String> daemon(List<String> nodes, String address) {
    List<String> command = new ArrayList<>(List.of("qemu-storage-daemon"));
    command.addAll(nodes);
    command.addAll(List.of("--nbd-server", address));
    command.addAll(
        List.of("--export", "type=nbd,id=e,node-name=export,writable=on,name=" + EXPORT));
    return command;
  }
}
