package io.mgtm.gtm.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.gtm.client.AdminClient;
import io.mgtm.gtm.node.admin.NodeStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that a group's leader is asked to do; any node may be named. */
@Command(mixinStandardHelpOptions = true)
abstract class AdminCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int TIMEOUT_MS_MAX = 3_600_000;
  private static final int RETRY_MS = 50;

  @Spec private CommandSpec spec;

  @Option(
      converter = NodeAddress.Converter.class,
      names = "--at",
      paramLabel = "HOST:PORT|unix:PATH",
      defaultValue = "127.0.0.1:6666",
      description = "Where any node of the group listens. Default: ${DEFAULT-VALUE}.")
  private NodeAddress at;

  @Option(
      names = "--timeout-ms",
      paramLabel = "MS",
      defaultValue = "10000",
      description = "How long to wait for each answer, and for the end. Default: 10000.")
  private int timeoutMs;

  @Mixin private LinkOptions link;

  @Override
  public final Integer call() throws IOException {
    if (timeoutMs < 1 || timeoutMs > TIMEOUT_MS_MAX) {
      throw bad("--timeout-ms: " + timeoutMs + " is not allowed, expected 1 to " + TIMEOUT_MS_MAX);
    }
    String done = run();
    PrintWriter out = spec.commandLine().getOut();
    out.println(done);
    out.flush();
    return 0;
  }

  /** Does it; the answer is a sentence for the operator. */
  abstract String run() throws IOException;

  /** An argument is wrong. */
  final ParameterException bad(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** An option is given that reads a folder: of the others only those named have a meaning. */
  final void refuseBeside(String option, Set<String> allowed) {
    spec.commandLine().getParseResult().matchedOptions().stream()
        .map(OptionSpec::longestName)
        .filter(given -> !given.equals(option) && !allowed.contains(given))
        .findFirst()
        .ifPresent(
            given -> {
              throw bad(
                  "%s is of a GTM that runs, and %s of one that is stopped: give one of them"
                      .formatted(given, option));
            });
  }

  final int timeoutMs() {
    return timeoutMs;
  }

  /**
   * Asks the node that {@code --at} names, and whoever it says is to be asked; while nobody leads,
   * again until the time is up.
   */
  final byte[] askLeader(String verb, String argument) throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    askLeader(verb, argument, answer);
    return answer.toByteArray();
  }

  /** The same for something long, which {@code into} gets as it comes. */
  final void askLeader(String verb, String argument, OutputStream into) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    NodeAddress next = at;
    while (true) {
      AdminClient.Answer answer;
      try (AdminClient client = link.connect(next, timeoutMs)) {
        answer = client.ask(verb, argument, into);
      }
      switch (answer.kind()) {
        case DONE -> {
          return;
        }
        case REDIRECT -> {
          if (System.nanoTime() - deadline > 0) {
            throw new IOException(
                "no member is known to lead the group after %d ms; see mgtm gtm status"
                    .formatted(timeoutMs));
          }
          boolean known = !answer.text().isEmpty();
          next = known ? NodeAddress.parse(answer.text()) : at;
          LockSupport.parkNanos(known ? 0 : TimeUnit.MILLISECONDS.toNanos(RETRY_MS));
        }
        default -> throw new IOException(answer.text());
      }
    }
  }

  /** Looks at the cluster once; any thread that may block. */
  interface Look {
    /** What is missing, as a clause; empty when nothing is. */
    String missing() throws IOException;
  }

  /**
   * Looks again and again until nothing is missing.
   *
   * @throws IOException with the sentence and what was missing last, when the time is up
   */
  static void awaitNothingMissing(int waitMs, String otherwise, Look look) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs);
    for (String missing = look.missing(); !missing.isEmpty(); missing = look.missing()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IOException("%s after %d ms: %s".formatted(otherwise, waitMs, missing));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(RETRY_MS));
    }
  }

  /** Asks the node that {@code --at} names, and no other. */
  final byte[] askHere(String verb) throws IOException {
    AdminClient.Answer answer = ask(at, verb, "");
    return switch (answer.kind()) {
      case DONE -> answer.bytes();
      default -> throw new IOException(answer.text());
    };
  }

  final NodeStatus status() throws IOException {
    return JSON.readValue(askHere("status"), NodeStatus.class);
  }

  /** What the leader says that a node knows of; null while none is known. */
  final NodeStatus statusOfLeader(NodeStatus of) throws IOException {
    if (of.leads()) {
      return of;
    }
    if (of.leaderAddress().isEmpty()) {
      return null;
    }
    AdminClient.Answer answer = ask(NodeAddress.parse(of.leaderAddress()), "status", "");
    NodeStatus leader = JSON.readValue(answer.bytes(), NodeStatus.class);
    return leader.leads() ? leader : null;
  }

  /** The node that {@code --at} names. */
  final NodeAddress at() {
    return at;
  }

  private AdminClient.Answer ask(NodeAddress node, String verb, String argument)
      throws IOException {
    try (AdminClient client = link.connect(node, timeoutMs)) {
      return client.ask(verb, argument);
    }
  }
}
