package io.mgtm.gtm.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.gtm.client.ClientSettings;
import io.mgtm.gtm.client.GtmClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that asks a running GTM something, and prints the answer as text or JSON. */
@Command(mixinStandardHelpOptions = true)
abstract class ClientCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int TIMEOUT_MS_MAX = 3_600_000;

  @Spec private CommandSpec spec;

  @Option(
      converter = NodeAddress.Converter.class,
      names = "--at",
      paramLabel = "HOST:PORT|unix:PATH",
      defaultValue = "127.0.0.1:6666",
      description =
          "Where the GTM listens, or mgtm.sock in its data folder. Default: ${DEFAULT-VALUE}.")
  private NodeAddress at;

  @Option(names = "--json", description = "Prints one line of JSON.")
  private boolean json;

  @Option(
      names = "--timeout-ms",
      paramLabel = "MS",
      defaultValue = "5000",
      description = "How long to wait for the connection, and for each answer. Default: 5000.")
  private int timeoutMs;

  /**
   * What was learnt.
   *
   * @param json whose field names, those of a record or a map, are stable
   * @param text the same for people, lines ended
   */
  record Answer(Object json, String text) {}

  @Override
  public final Integer call() throws IOException {
    if (timeoutMs < 1 || timeoutMs > TIMEOUT_MS_MAX) {
      throw bad("--timeout-ms: " + timeoutMs + " is not allowed, expected 1 to " + TIMEOUT_MS_MAX);
    }
    ClientSettings defaults = ClientSettings.defaults();
    ClientSettings settings =
        new ClientSettings(defaults.startup(), timeoutMs, timeoutMs, defaults.replyBytesMax());
    Answer answer = obtain(settings);
    PrintWriter out = spec.commandLine().getOut();
    out.print(json ? JSON.writeValueAsString(answer.json()) + "\n" : answer.text());
    out.flush();
    return status();
  }

  /** With which the command ends once it has printed its answer. */
  int status() {
    return 0;
  }

  /** Connects and asks. */
  Answer obtain(ClientSettings settings) throws IOException {
    try (GtmClient client = GtmClient.connect(at.resolve(), settings)) {
      return ask(client);
    }
  }

  /** Asks. A {@code GtmErrorException} is the GTM's own refusal. */
  abstract Answer ask(GtmClient client) throws IOException;

  /** How long to wait for each answer. */
  final int timeoutMs() {
    return timeoutMs;
  }

  /** Where the GTM listens. */
  final NodeAddress at() {
    return at;
  }

  /** An argument is wrong. */
  final ParameterException bad(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
