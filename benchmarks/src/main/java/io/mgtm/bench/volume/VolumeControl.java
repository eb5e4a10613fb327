package io.mgtm.bench.volume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Asks a volume's agent on this machine, as {@code mgtm volume} does. Any thread. */
public final class VolumeControl {
  private static final ObjectMapper JSON = new ObjectMapper();

  private VolumeControl() {}

  /**
   * Asks the agent of a copy by its control socket, whatever network it is in.
   *
   * @param file the copy
   * @param command a line of JSON
   * @throws IOException when no agent answers
   */
  public static JsonNode ask(Path file, String command) throws IOException {
    Path control = Path.of(file + ".meta", "control.sock");
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(control));
      channel.write(ByteBuffer.wrap((command + "\n").getBytes(StandardCharsets.UTF_8)));
      StringBuilder line = new StringBuilder();
      var reader = Channels.newReader(channel, StandardCharsets.UTF_8);
      for (int c = reader.read(); c >= 0 && c != '\n'; c = reader.read()) {
        line.append((char) c);
      }
      return JSON.readTree(line.toString());
    }
  }
}
