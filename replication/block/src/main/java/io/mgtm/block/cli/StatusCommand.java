package io.mgtm.block.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows a running volume. */
@Command(name = "status", description = "Shows a running volume.", mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
  @Mixin ControlClient control;

  @Option(names = "--json", description = "Print JSON.")
  boolean json;

  @Override
  public Integer call() throws IOException {
    JsonNode status = control.ask(ControlClient.command("status"));
    System.out.println(
        json
            ? ControlClient.JSON.writerWithDefaultPrettyPrinter().writeValueAsString(status)
            : text(status));
    return 0;
  }

  static String text(JsonNode status) {
    StringBuilder text = new StringBuilder();
    text.append(status.path("name").asText()).append(": ").append(status.path("role").asText());
    text.append(", ").append(status.path("disk").asText());
    if (status.path("warning").isTextual()) {
      text.append(", ").append(status.path("warning").asText());
    }
    text.append(
        status.path("serving").asBoolean()
            ? ", serving"
            : ", not serving: " + status.path("notServingBecause").asText());
    text.append(", ").append(status.path("sizeBytes").asLong()).append(" bytes, ");
    text.append(status.path("clients").asInt()).append(" clients");
    if (!status.path("upstream").isNull()) {
      text.append(", follows ").append(status.path("upstream").asText());
    }
    for (JsonNode link : status.path("links")) {
      text.append("\n  link ")
          .append(link.path("name").asText())
          .append(" (")
          .append(link.path("mode").asText())
          .append("): ");
      text.append(link.path("connection").asText());
      text.append(", peer ").append(link.path("peerDisk").asText());
      if (!link.path("reason").asText().isEmpty()) {
        text.append(" (").append(link.path("reason").asText()).append(')');
      }
      text.append(", ").append(link.path("bitsSet").asInt()).append(" bits set, ");
      text.append(link.path("chunksOutOfSync").asInt()).append(" chunks to send, ");
      text.append(link.path("queuedBytes").asLong()).append(" bytes queued");
      work(text, "resync", link.path("resync"));
      work(text, "verify", link.path("verify"));
      verified(text, link.path("verify"));
    }
    return text.toString();
  }

  /** What a verify found that has ended. */
  private static void verified(StringBuilder text, JsonNode verify) {
    if (!verify.isObject() || verify.path("running").asBoolean()) {
      return;
    }
    long mismatches = verify.path("mismatches").asLong();
    boolean whole = verify.path("doneBytes").asLong() >= verify.path("totalBytes").asLong();
    text.append("\n    verify: ");
    text.append(whole ? "" : "cut short, ")
        .append(whole && mismatches == 0 ? "no" : "" + mismatches);
    text.append(mismatches == 1 ? " chunk differs" : " chunks differ");
    for (JsonNode range : verify.path("differing")) {
      text.append("\n      ").append(range.path("length").asLong());
      text.append(" bytes at ").append(range.path("offset").asLong());
    }
    if (verify.path("repaired").asBoolean()) {
      text.append("\n      they were sent from here since");
    } else if (mismatches > 0) {
      text.append(
          "\n      'verify --repair' or 'resync' sends them from here; find out first which");
      text.append(" copy is right, and why they differ");
    }
  }

  private static void work(StringBuilder text, String what, JsonNode work) {
    if (work.path("running").asBoolean()) {
      text.append("\n    ").append(what).append(": ");
      text.append(work.path("doneBytes").asLong() >> 20)
          .append(" of ")
          .append(work.path("totalBytes").asLong() >> 20);
      text.append(" MiB, ").append(work.path("bytesPerSecond").asLong() >> 20).append(" MiB/s, ");
      text.append(work.path("remainingMs").asLong() / 1000).append(" s left");
    }
  }
}
