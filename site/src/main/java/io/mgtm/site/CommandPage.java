package io.mgtm.site;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The reference of a program, in Markdown, from what picocli knows of its commands. */
final class CommandPage {
  private static final int WIDTH = 100;

  private CommandPage() {}

  /** A program's page, with a section for each of its commands. */
  static String of(CommandSpec program) {
    StringBuilder page = new StringBuilder();
    add(page, program, 1);
    return page.toString();
  }

  /** The program itself and all commands below it, hidden ones excepted. */
  static List<CommandSpec> withCommandsBelow(CommandSpec program) {
    List<CommandSpec> all = new ArrayList<>(List.of(program));
    below(program).forEach(command -> all.addAll(withCommandsBelow(command)));
    return all;
  }

  /**
   * The options that a user is shown, without those of help and version, which each command has.
   */
  static Stream<OptionSpec> options(CommandSpec command) {
    return command.options().stream()
        .filter(option -> !option.hidden() && !option.usageHelp() && !option.versionHelp());
  }

  private static Stream<CommandSpec> below(CommandSpec command) {
    return command.subcommands().values().stream()
        .distinct()
        .map(CommandLine::getCommandSpec)
        .filter(spec -> !spec.usageMessage().hidden());
  }

  private static void add(StringBuilder page, CommandSpec command, int level) {
    page.append("#".repeat(level)).append(' ').append(command.qualifiedName()).append("\n\n");
    page.append(text(command.usageMessage().description())).append("\n\n```\n");
    command.usageMessage().width(WIDTH);
    Help help = new Help(command, Help.defaultColorScheme(Help.Ansi.OFF));
    page.append(help.synopsis(0).stripTrailing()).append("\n```\n\n");
    table(
        page,
        "parameter",
        command.positionalParameters().stream(),
        parameter -> code(parameter.paramLabel()));
    table(page, "option", options(command), CommandPage::names);
    List<CommandSpec> below = below(command).toList();
    if (!below.isEmpty()) {
      page.append("| command | does |\n|---|---|\n");
      below.forEach(
          each ->
              page.append("| [`%s`](#%s) | ".formatted(each.name(), anchor(each)))
                  .append(text(each.usageMessage().description()))
                  .append(" |\n"));
      page.append('\n');
      below.forEach(each -> add(page, each, Math.min(level + 1, 4)));
    }
  }

  private static <T extends ArgSpec> void table(
      StringBuilder page, String what, Stream<T> arguments, Function<T, String> name) {
    String rows =
        arguments
            .filter(argument -> !argument.hidden())
            .map(
                argument ->
                    "| %s | %s |%n".formatted(name.apply(argument), text(argument.description())))
            .collect(Collectors.joining());
    if (!rows.isEmpty()) {
      page.append("| %s | |%n|---|---|%n".formatted(what)).append(rows).append('\n');
    }
  }

  private static String names(OptionSpec option) {
    String value = option.arity().max() == 0 ? "" : " " + option.paramLabel();
    return Stream.of(option.names())
        .map(name -> code(name + value))
        .collect(Collectors.joining(", "));
  }

  /** In a table a bar divides, in code too. */
  private static String code(String text) {
    return "`" + text.replace("|", "\\|") + "`";
  }

  private static String anchor(CommandSpec command) {
    return command.qualifiedName().replace(' ', '-');
  }

  /** What picocli prints, in one line. */
  private static String text(String... lines) {
    return Page.plain(String.join(" ", lines).replace("%n", " ").replace("%%", "%"));
  }
}
