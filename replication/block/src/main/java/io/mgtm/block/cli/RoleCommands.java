package io.mgtm.block.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Commands that change a side's role. */
final class RoleCommands {
  private RoleCommands() {}

  /** Makes this side primary. */
  @Command(
      name = "promote",
      description = "Makes this side primary.",
      mixinStandardHelpOptions = true)
  static final class Promote implements Callable<Integer> {
    @Mixin ControlClient control;

    @Option(
        names = "--force",
        description =
            "Even if it may not be the newest copy, is inconsistent, or its source is connected;"
                + " what only other copies have is lost.")
    boolean force;

    @Option(
        names = "--vouched",
        description =
            "Even if no other copy says that this one is the newest: a cluster whose fence command"
                + " noted every copy that was left behind vouches for it. Nothing is discarded.")
    boolean vouched;

    @Override
    public Integer call() throws IOException {
      JsonNode done =
          control.ask(ControlClient.command("promote").put("force", force).put("vouched", vouched));
      System.out.println("volume " + control.name + " is primary here");
      if (done.has("note")) {
        System.out.println(done.path("note").asText());
      }
      return 0;
    }
  }

  /** Says that copies are fenced. */
  @Command(
      name = "fenced",
      description =
          "Says that the lost copies that 'status --json' shows are fenced, as a fence command that"
              + " ends with status 0.",
      mixinStandardHelpOptions = true)
  static final class Fenced implements Callable<Integer> {
    @Mixin ControlClient control;

    @Option(
        names = "--token",
        required = true,
        description = "The token that 'status --json' shows with them.")
    String token;

    @Override
    public Integer call() throws IOException {
      control.ask(ControlClient.command("fenced").put("token", token));
      System.out.println("volume " + control.name + " goes on without them");
      return 0;
    }
  }

  /** Makes this side secondary. */
  @Command(
      name = "demote",
      description = "Makes this side secondary.",
      mixinStandardHelpOptions = true)
  static final class Demote implements Callable<Integer> {
    @Mixin ControlClient control;

    @Option(
        names = "--discard",
        description = "Give up this side's own changes: the other side is the survivor of a split.")
    boolean discard;

    @Override
    public Integer call() throws IOException {
      control.ask(ControlClient.command("demote").put("discard", discard));
      System.out.println("volume " + control.name + " is secondary here");
      return 0;
    }
  }
}
