package io.mgtm.block.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mgtm.testing.Await;
import io.mgtm.testing.ClassArchive;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** An agent in a process of its own, which a test may kill. */
final class VolumeProcess implements AutoCloseable {
  /** What all copies call the volume. */
  static final String VOLUME = "v1";

  private static final String KEY = "5ec2e7".repeat(11).substring(0, 64);
  private static final ObjectMapper JSON = new ObjectMapper();

  final Path folder;
  final String name;
  final int receivePort;
  private final List<String> options = new ArrayList<>();
  private final List<String> launcher = new ArrayList<>();
  private Path file;
  private Path meta;
  private Path key;
  private Process process;

  VolumeProcess(Path parent, String name, int receivePort) throws IOException {
    this.folder = Files.createDirectories(parent.resolve(name));
    this.name = name;
    this.receivePort = receivePort;
    this.file = folder.resolve("disk");
    this.key = Files.writeString(parent.resolve("link.key"), KEY);
  }

  /** Without the key that the other copies have. */
  VolumeProcess withoutKey() {
    key = null;
    return this;
  }

  /** The volume's bytes and metadata lie in {@code other}, and no log. */
  VolumeProcess storedIn(Path other) {
    file = other.resolve("disk");
    return this;
  }

  /** The metadata lie in {@code other}, not beside the volume's bytes. */
  VolumeProcess metaIn(Path other) {
    meta = other.resolve("meta");
    return with("--meta", meta.toString());
  }

  private Path meta() {
    return meta == null ? Path.of(file + ".meta") : meta;
  }

  VolumeProcess with(String... more) {
    options.addAll(List.of(more));
    return this;
  }

  VolumeProcess receiving() {
    return with("--receive", OwnAddress.HOST + ":" + receivePort);
  }

  /** Receives at {@code ADDRESS}, which may begin with {@code rdma:}. */
  VolumeProcess receivingAt(String address) {
    return with("--receive", address + ":" + receivePort);
  }

  VolumeProcess replicaAt(String address, VolumeProcess other, String mode) {
    return with("--replica", address + ":" + other.receivePort, "--mode", mode);
  }

  /** Runs the agent by another program, such as one that enters a network namespace. */
  VolumeProcess by(String... program) {
    launcher.addAll(List.of(program));
    return this;
  }

  VolumeProcess listening() {
    return with("--listen", "unix:" + socket());
  }

  VolumeProcess replica(VolumeProcess other, String mode) {
    return with("--replica", OwnAddress.HOST + ":" + other.receivePort, "--mode", mode);
  }

  Path file() {
    return file;
  }

  Path socket() {
    return folder.resolve("nbd");
  }

  String uri() {
    return "nbd+unix:///" + VOLUME + "?socket=" + socket();
  }

  Path log() {
    return folder.resolve("log");
  }

  VolumeProcess start() throws Exception {
    return launch().awaitAnswer();
  }

  private static List<String> program() {
    Path jar = Path.of(System.getProperty("mgtm.volumeJar", "target/mgtm-volume.jar"));
    List<String> program = ClassArchive.command(jar);
    program.addAll(1, List.of("-Xmx256m", "-XX:MaxDirectMemorySize=512m"));
    return program;
  }

  /** Where the user who started this agent has the names of volumes. */
  Path known() {
    return folder.resolve(".mgtm").resolve("volumes");
  }

  /** Runs a command that ends, as the user who started this agent; not in a process of its own. */
  Tools.Result command(String... arguments) {
    return Tools.volume(folder, arguments);
  }

  /** The same in a process, as whatever begins to serve. */
  Tools.Result commandInAProcess(String... arguments) throws IOException, InterruptedException {
    List<String> command = program();
    command.addAll(List.of(arguments));
    return Tools.run(folder, Map.of("MGTM_VOLUMES", known().toString()), command);
  }

  /** What an agent answers at its {@code --metrics}. */
  static HttpResponse<String> get(String metrics, String path)
      throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + metrics + path)).build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** Starts the process and does not wait until it answers. */
  VolumeProcess launch() throws IOException {
    List<String> command = new ArrayList<>(launcher);
    command.addAll(program());
    command.addAll(List.of("start", "--name", VOLUME, "--file", file().toString()));
    if (key != null) {
      command.addAll(List.of("--link-key", key.toString()));
    }
    command.addAll(optionsNow());
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
    builder.environment().put("MGTM_VOLUMES", known().toString());
    process = builder.start();
    return this;
  }

  /** The size is given once: a volume that was grown is not started with the one it began with. */
  private List<String> optionsNow() {
    List<String> now = new ArrayList<>(options);
    int size = now.indexOf("--size");
    if (size >= 0 && Files.exists(meta().resolve("volume.json"))) {
      now.subList(size, size + 2).clear();
    }
    return now;
  }

  VolumeProcess awaitAnswer() throws Exception {
    Await.until(
        name + " answers",
        () -> {
          if (!process.isAlive()) {
            throw new AssertionError(name + " ended:\n" + Files.readString(log()));
          }
          return answers();
        });
    return this;
  }

  private boolean answers() {
    try {
      return status().has("role");
    } catch (IOException e) {
      return false;
    }
  }

  JsonNode status() throws IOException {
    return ask("{\"command\":\"status\"}");
  }

  JsonNode ask(String command, Object... settings) throws IOException {
    ObjectNode node =
        command.startsWith("{")
            ? (ObjectNode) JSON.readTree(command)
            : JSON.createObjectNode().put("command", command);
    for (int i = 0; i < settings.length; i += 2) {
      node.set((String) settings[i], JSON.valueToTree(settings[i + 1]));
    }
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(meta().resolve("control.sock")));
      channel.write(ByteBuffer.wrap((node + "\n").getBytes(StandardCharsets.UTF_8)));
      StringBuilder line = new StringBuilder();
      var reader = Channels.newReader(channel, StandardCharsets.UTF_8);
      for (int c = reader.read(); c >= 0 && c != '\n'; c = reader.read()) {
        line.append((char) c);
      }
      if (line.isEmpty()) {
        throw new IOException("no answer");
      }
      return JSON.readTree(line.toString());
    }
  }

  JsonNode link(int index) throws IOException {
    return status().path("links").path(index);
  }

  String linkState(int index) throws IOException {
    return link(index).path("state").asText();
  }

  void awaitUpToDate() throws IOException {
    Await.until(name + "'s links are up to date; " + tail(), this::isUpToDate);
  }

  boolean isUpToDate() throws IOException {
    for (JsonNode link : status().path("links")) {
      if (!link.path("state").asText().equals("up-to-date")) {
        return false;
      }
    }
    return true;
  }

  String tail() throws IOException {
    List<String> lines = Files.readAllLines(log());
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
  }

  long pid() {
    return process.pid();
  }

  /** SIGKILL; while a disk that it waits for is frozen the process does not end. */
  void beginKill() {
    process.destroyForcibly();
  }

  /** SIGKILL, and the process is gone when this returns. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** SIGTERM. */
  void stop() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(180, TimeUnit.SECONDS)) {
      kill();
      throw new AssertionError(name + " did not stop in 60 s");
    }
  }

  @Override
  public void close() {
    if (isAlive()) {
      kill();
    }
  }
}
