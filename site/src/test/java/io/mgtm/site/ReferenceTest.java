package io.mgtm.site;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Commands, options and keys say what they are for, and their pages show them. */
class ReferenceTest {
  private static Stream<CommandSpec> commands() {
    return CommandPage.withCommandsBelow(Commands.all().getCommandSpec()).stream();
  }

  private static Stream<ArgSpec> arguments(CommandSpec command) {
    return Stream.concat(CommandPage.options(command), command.positionalParameters().stream());
  }

  private static String name(ArgSpec argument) {
    return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
  }

  private static String value(ArgSpec argument) {
    return argument.isPositional() || argument.arity().max() == 0
        ? ""
        : " " + argument.paramLabel().replace("<", "&lt;").replace(">", "&gt;");
  }

  @Test
  void everyCommandAndOptionIsDescribed() {
    List<String> without = new ArrayList<>();
    commands()
        .forEach(
            command -> {
              if (command.usageMessage().description().length == 0) {
                without.add(command.qualifiedName());
              }
              arguments(command)
                  .filter(argument -> String.join("", argument.description()).isBlank())
                  .forEach(argument -> without.add(command.qualifiedName() + " " + name(argument)));
            });
    assertThat(without).isEmpty();
  }

  @Test
  void pagesShowAllOfThem() throws IOException {
    Map<String, Page> pages = SiteMain.reference(Path.of("..").toAbsolutePath().normalize());
    String all = String.join("\n", pages.values().stream().map(Page::html).toList());
    List<String> missing = new ArrayList<>();
    commands()
        .skip(1)
        .forEach(
            command -> {
              Stream.concat(
                      Stream.of(">" + command.qualifiedName() + "</h"),
                      arguments(command)
                          .map(argument -> "<code>" + name(argument) + value(argument)))
                  .filter(shown -> !all.contains(shown))
                  .forEach(missing::add);
            });
    assertThat(missing).isEmpty();
    SiteMain.schemas()
        .keySet()
        .forEach(program -> assertThat(pages.get(program + ".yaml").links()).isNotEmpty());
    assertThat(commands().count()).isGreaterThan(60);
    assertThat(pages.get("./mgtm").anchors()).contains("mgtm-package", "mgtm-test", "mgtm-site");
  }

  @Test
  void everyKeyOfAFileIsDescribed() throws IOException {
    for (Map.Entry<String, String> file : SiteMain.schemas().entrySet()) {
      assertThat(SchemaPage.undescribed(new ObjectMapper().readTree(file.getValue())))
          .as("keys of %s.yaml without a description", file.getKey())
          .isEmpty();
    }
  }

  @Test
  void programsPrintTheSchemas() {
    SiteMain.schemas()
        .forEach(
            (program, schema) -> {
              StringWriter printed = new StringWriter();
              CommandLine mgtm = Commands.all().setOut(new PrintWriter(printed));
              assertThat(mgtm.execute(program, "config", "schema")).isZero();
              assertThat(printed).hasToString(schema);
            });
  }

  /** A setting of the code, or a key of an earlier version, cannot be in a file. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "configuration",
        "group-procedures",
        "group-symptoms",
        "link",
        "operating-a-group",
        "proxy",
        "replication"
      })
  void pagesOfTheGtmNameOnlyKeysThatThereAre(String page) throws IOException {
    Set<String> keys = new HashSet<>();
    for (String program : List.of("gtm", "proxy")) {
      SchemaPage.table(new ObjectMapper().readTree(SiteMain.schemas().get(program)))
          .lines()
          .map(row -> row.replaceFirst("^\\| `([A-Za-z.]+)` .*", "$1"))
          .forEach(keys::add);
    }
    String text = Files.readString(Path.of("..", "docs", page + ".md"));
    Stream<String> inSection = found("`((?:group|links|access|limits|timeouts)\\.\\w+)`", text);
    Stream<String> ofFiles =
        found("(?m)^group:\\n((?: +.*\\n)+)", text)
            .flatMap(section -> found("(?m)^  (\\w+):", section))
            .map("group."::concat);
    assertThat(Stream.concat(inSection, ofFiles)).isSubsetOf(keys);
    Stream<String> times = found("`(?:\\w+\\.)?(\\w+Ms)`", text);
    assertThat(times).isSubsetOf(keys.stream().map(key -> key.replaceFirst(".*\\.", "")).toList());
  }

  private static Stream<String> found(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(match -> match.group(1));
  }

  /** Those who read Markdown see the keys as the code has them. */
  @ParameterizedTest
  @CsvSource({"gtm, configuration.md", "proxy, proxy.md", "query, query.md", "ha, ha.md"})
  void pagesHaveTheTableOfKeys(String program, String page) throws IOException {
    String table =
        SchemaPage.table(new ObjectMapper().readTree(SiteMain.schemas().get(program)))
            .replace("](../docs/", "](");
    List<String> missing = new ArrayList<>(table.lines().toList());
    missing.removeAll(Files.readAllLines(Path.of("..", "docs", page)));
    assertThat(missing).as("lines that docs/%s needs, since the code says so", page).isEmpty();
  }
}
