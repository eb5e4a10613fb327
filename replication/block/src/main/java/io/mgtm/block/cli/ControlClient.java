package io.mgtm.block.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Asks a running agent something by its control socket. A mixin of the commands that do. */
final class ControlClient {
  static final ObjectMapper JSON = new ObjectMapper();

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(names = "--name", description = "The volume's name; or give --meta.")
  String name;

  @Option(
      names = "--meta",
      description = "The volume's metadata directory, if it is not listed here.")
  Path meta;

  /** Sends one command and returns the answer; throws when the agent does not run or refuses. */
  JsonNode ask(ObjectNode command) throws IOException {
    if (name == null && meta == null) {
      throw new ParameterException(
          spec.commandLine(), "give the volume's --name, or its --meta directory");
    }
    Path folder = meta != null ? meta : new Registry().meta(name);
    JsonNode answer = ask(folder, name == null ? command : command.put("volume", name));
    name = name == null ? answer.path("volume").asText(meta.toString()) : name;
    if (answer.has("ok") && !answer.get("ok").asBoolean()) {
      throw new IOException(answer.path("error").asText());
    }
    return answer;
  }

  static ObjectNode command(String what) {
    return JSON.createObjectNode().put("command", what);
  }

  static JsonNode ask(Path folder, ObjectNode command) throws IOException {
    Path socket = folder.resolve("control.sock");
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      try {
        channel.connect(UnixDomainSocketAddress.of(socket));
      } catch (IOException e) {
        throw new IOException(
            "no agent answers at " + socket + "; start it with 'mgtm volume start'", e);
      }
      ByteBuffer line =
          ByteBuffer.wrap(
              (JSON.writeValueAsString(command) + "\n").getBytes(StandardCharsets.UTF_8));
      while (line.hasRemaining()) {
        channel.write(line);
      }
      BufferedReader reader =
          new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
      String answer = reader.readLine();
      if (answer == null) {
        throw new IOException("the agent at " + socket + " ended before it answered");
      }
      return JSON.readTree(answer);
    }
  }
}
