package io.mgtm.block.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Packaged;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.ParseResult;

/** The options and the unit that the package mgtm-volume installs. */
class PackagedTest {
  private static final String OPTIONS = "etc/mgtm/volumes/example.options";

  @TempDir private Path scratch;

  private static ParseResult parsed(Path options) throws IOException {
    List<String> words = Packaged.arguments("mgtm-volume@.service");
    assertThat(words).endsWith("@/etc/mgtm/volumes/%i.options");
    String[] all =
        words.stream()
            .map(word -> word.startsWith("@") ? "@" + options : word.replace("%i", "example"))
            .toArray(String[]::new);
    return Main.commandLine().parseArgs(all).subcommand();
  }

  @Test
  void theExampleStarts() throws IOException {
    ParseResult start = parsed(Packaged.file(OPTIONS));
    assertThat(start.matchedOptionValue("--name", "")).isEqualTo("example");
    assertThat(start.hasMatchedOption("--size")).isTrue();
    assertThat(start.hasMatchedOption("--replica")).isFalse();
  }

  @Test
  void soDoItsOtherOptions() throws IOException {
    Path all = scratch.resolve("all.options");
    Files.writeString(all, Packaged.withExamples(OPTIONS));
    assertThat(parsed(all).hasMatchedOption("--replica")).isTrue();
  }
}
