package io.mgtm.site;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
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
    assertThat(pages.get("ha.yaml").links()).isNotEmpty();
    assertThat(commands().count()).isGreaterThan(60);
    assertThat(pages.get("./mgtm").anchors()).contains("mgtm-package", "mgtm-test", "mgtm-site");
  }

  @Test
  void everyKeyOfTheControllersFileIsDescribed() throws IOException {
    try (var schema = getClass().getResourceAsStream("/io/mgtm/ha/config/ha.schema.json")) {
      assertThat(SchemaPage.undescribed(new ObjectMapper().readTree(schema))).isEmpty();
    }
  }
}
