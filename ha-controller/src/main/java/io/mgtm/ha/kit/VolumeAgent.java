package io.mgtm.ha.kit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a volume's agent at its control socket: a line of JSON each way, as the commands of {@code
 * mgtm volume} do, without a JVM for each question. Calls block until the agent has answered, or
 * the deadline.
 */
final class VolumeAgent {
  private static final Logger log = LoggerFactory.getLogger(VolumeAgent.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int ANSWER_BYTES_MAX = 256 << 10;
  private static final int POLL_MS = 5;

  private final String volume;
  private final Path socket;

  VolumeAgent(String volume, Path meta) {
    this.volume = volume;
    this.socket = meta.resolve("control.sock");
  }

  /** Its status; empty when no agent answers before the deadline. */
  Optional<JsonNode> status(Deadline deadline) throws InterruptedException {
    try {
      return Optional.of(ask(JSON.createObjectNode().put("command", "status"), deadline));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Why a copy is made primary. */
  enum Grounds {
    /** What the copies themselves know. */
    OWN,
    /** Somebody else knows that the copy has everything acknowledged. */
    VOUCHED,
    /** What it lacks may be lost. */
    FORCE
  }

  /** Makes this copy primary; why it refuses, or empty. */
  String promote(Grounds grounds, Deadline deadline) throws KitException, InterruptedException {
    return command(
        JSON.createObjectNode()
            .put("command", "promote")
            .put("vouched", grounds == Grounds.VOUCHED)
            .put("force", grounds == Grounds.FORCE),
        deadline);
  }

  /**
   * Says that the state of the cluster has what this primary waits for; why it does not wait for
   * that, or empty.
   */
  String fenced(String token, Deadline deadline) throws KitException, InterruptedException {
    return command(JSON.createObjectNode().put("command", "fenced").put("token", token), deadline);
  }

  /** Makes this copy secondary; why it refuses, or empty. */
  String demote(Deadline deadline) throws KitException, InterruptedException {
    return command(
        JSON.createObjectNode().put("command", "demote").put("discard", false), deadline);
  }

  private String command(ObjectNode command, Deadline deadline)
      throws KitException, InterruptedException {
    try {
      JsonNode answer = ask(command, deadline);
      if (answer.has("note")) {
        log.warn("volume {}: {}", volume, answer.path("note").asText());
      }
      return answer.path("ok").asBoolean(false) ? "" : answer.path("error").asText("no reason");
    } catch (IOException e) {
      throw new KitException(
          "the agent of volume %s at %s does not answer: %s"
              .formatted(volume, socket, e.getMessage()),
          e);
    }
  }

  private JsonNode ask(ObjectNode command, Deadline deadline)
      throws IOException, InterruptedException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket));
      channel.configureBlocking(false);
      String line = JSON.writeValueAsString(command.put("volume", volume)) + "\n";
      channel.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
      ByteBuffer answer = ByteBuffer.allocate(ANSWER_BYTES_MAX);
      while (answer.position() == 0 || answer.get(answer.position() - 1) != '\n') {
        int count = channel.read(answer);
        if (count < 0 || !answer.hasRemaining()) {
          throw new IOException("it ended before it answered");
        }
        if (count == 0 && deadline.passed()) {
          throw new IOException("it has not answered in time");
        }
        if (count == 0) {
          Thread.sleep(POLL_MS);
        }
      }
      return JSON.readTree(answer.array(), 0, answer.position());
    }
  }
}
