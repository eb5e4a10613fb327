package io.mgtm.block.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mgtm.block.wire.Endpoint;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands on one link, or on all. */
final class LinkCommands {
  private LinkCommands() {}

  /** What they share. */
  abstract static class OnLink implements Callable<Integer> {
    @Mixin ControlClient control;

    @Option(
        names = "--replica",
        description = "The link's name, which is its HOST:PORT; default: all links.")
    Endpoint link;

    int send(String what, String done) throws IOException {
      return send(ControlClient.command(what), done);
    }

    int send(ObjectNode command, String done) throws IOException {
      control.ask(link == null ? command : command.put("link", link.toString()));
      System.out.println("volume " + control.name + ": " + done);
      return 0;
    }
  }

  /** How a resync finds out what to send. */
  enum ResyncMethod {
    /** Checksums are compared first. */
    COMPARE,
    /** All is sent. */
    SEND
  }

  /** Sends what differs, or all. */
  @Command(
      name = "resync",
      description = "Goes through the whole volume and makes the replica equal.",
      mixinStandardHelpOptions = true)
  static final class Resync extends OnLink {
    @Parameters(
        arity = "0..1",
        paramLabel = "METHOD",
        defaultValue = "COMPARE",
        description =
            "compare (default): compares every chunk and sends what differs; send: sends every"
                + " chunk.")
    ResyncMethod method;

    @Override
    public Integer call() throws IOException {
      return send(
          ControlClient.command("resync").put("compare", method == ResyncMethod.COMPARE),
          "resync begun; 'status' shows how far it is");
    }
  }

  /** Compares. */
  @Command(
      name = "verify",
      description = "Compares every chunk while the volume is in use.",
      mixinStandardHelpOptions = true)
  static final class Verify extends OnLink {
    @Option(names = "--repair", description = "Send what differs at the end.")
    boolean repair;

    @Override
    public Integer call() throws IOException {
      return send(
          ControlClient.command("verify").put("repair", repair),
          "verify begun; 'status' shows how far it is");
    }
  }

  /** Suspends. */
  @Command(
      name = "pause",
      description = "Suspends replication until 'resume'.",
      mixinStandardHelpOptions = true)
  static final class Pause extends OnLink {
    @Override
    public Integer call() throws IOException {
      return send("pause", "replication is suspended");
    }
  }

  /** Resumes. */
  @Command(name = "resume", description = "Resumes replication.", mixinStandardHelpOptions = true)
  static final class Resume extends OnLink {
    @Override
    public Integer call() throws IOException {
      return send("resume", "replication is resumed");
    }
  }
}
