package io.mgtm.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

class CliTest {
  private static final class Refused extends RuntimeException implements OperatorError {
    private static final long serialVersionUID = 1L;

    Refused() {
      super("the volume is in use;\n stop its client");
    }
  }

  @Command(name = "mgtm try")
  private static final class Try implements Callable<Integer> {
    @Option(names = "--at")
    private HostPort at;

    private final Exception thrown;

    Try(Exception thrown) {
      this.thrown = thrown;
    }

    @Override
    public Integer call() throws Exception {
      if (thrown != null) {
        throw thrown;
      }
      return at == null ? 0 : at.port();
    }
  }

  private final StringWriter err = new StringWriter();

  private int run(Exception thrown, String... arguments) {
    CommandLine line = Cli.of(new Try(thrown));
    line.setErr(new PrintWriter(err));
    return Cli.run(line, arguments);
  }

  @Test
  void addressesAreRead() {
    assertThat(run(null, "--at", "host:7")).isEqualTo(7);
    assertThat(run(null, "--at", "host")).isOne();
    assertThat(err.toString())
        .startsWith("mgtm: ")
        .contains("\"host\" is no address: expected HOST:PORT")
        .endsWith("; see mgtm try --help\n");
  }

  @Test
  void whatAnOperatorCanMendIsOneLine() {
    assertThat(run(new Refused())).isOne();
    assertThat(err.toString()).isEqualTo("mgtm: the volume is in use; stop its client\n");
  }

  @Test
  void filesAreNamedWithWhatIsWrong() {
    assertThat(run(new NoSuchFileException("/a/b"))).isOne();
    assertThat(run(new IOException())).isOne();
    assertThat(err.toString())
        .isEqualTo(
            "mgtm: /a/b: there is no such file or folder\nmgtm: input or output failed; the system does not say why\n");
  }

  @Test
  void aLevelOfLoggingThatIsNoneIsRefused() {
    assertThat(Cli.levelProblem(null)).isNull();
    assertThat(Cli.levelProblem("warn")).isNull();
    assertThat(Cli.levelProblem("bogus"))
        .isEqualTo(
            "MGTM_LOG_LEVEL is \"bogus\": expected one of ERROR, WARN, INFO, DEBUG, TRACE, OFF");
  }

  @Test
  void anErrorOfOursShowsWhere() {
    assertThat(run(new IllegalStateException("broken"))).isOne();
    assertThat(err.toString()).contains("IllegalStateException: broken", "\tat ");
  }

  @Test
  void unknownArgumentsAreNamed() {
    assertThat(run(null, "--no")).isOne();
    assertThat(err.toString()).isEqualTo("mgtm: unknown argument --no; see mgtm try --help\n");
  }

  @Command(name = "mgtm many")
  private static final class Many {
    private static CommandLine of(String... args) {
      return Cli.of(new Many(), List.of(One.class, Two.class), args);
    }
  }

  @Command(name = "one")
  private static final class One implements Callable<Integer> {
    @Option(names = "--size", description = "The size.")
    private int size;

    @Override
    public Integer call() {
      return size;
    }
  }

  @Command(name = "two")
  private static final class Two {}

  @Test
  void ofManyCommandsTheOneThatIsCalledIsBuilt() {
    String[] arguments = {"one", "--size", "3"};
    CommandLine line = Many.of(arguments);
    assertThat(line.getSubcommands()).containsOnlyKeys("one");
    assertThat(Cli.run(line, arguments)).isEqualTo(3);
  }

  @Test
  void allAreBuiltWhereNoneIsCalled() {
    assertThat(Many.of().getSubcommands()).containsOnlyKeys("one", "two");
    assertThat(Many.of("--help").getSubcommands()).containsOnlyKeys("one", "two");
    assertThat(Many.of("three").getSubcommands()).containsOnlyKeys("one", "two");
  }
}
