package io.mgtm.common;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** How the programs of mgtm read their command line and tell what went wrong. */
public final class Cli {
  /** The status of a command that could not do what it was asked to. */
  private static final int FAILED = 1;

  private static final List<String> LOG_LEVELS =
      List.of("ERROR", "WARN", "INFO", "DEBUG", "TRACE", "OFF");

  /**
   * Netty looks for leaked buffers by taking stack traces now and then; tests do, servers do not.
   * Its events for the Flight Recorder make classes at the first buffer, a tenth of a start.
   */
  private static final Map<String, String> OF_NETTY =
      Map.of("io.netty.leakDetection.level", "disabled", "io.netty.jfr.enabled", "false");

  /** The version from the jar's manifest. */
  public static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Cli.class.getPackage().getImplementationVersion();
      return new String[] {"mgtm " + (version == null ? "(unpackaged)" : version)};
    }
  }

  private Cli() {}

  /** Runs a command; its status. */
  public static int run(CommandLine line, String[] args) {
    String problem = levelProblem(System.getenv(LogConfiguration.LEVEL));
    if (problem != null) {
      tell(line.getErr(), problem);
      line.getErr().flush();
      return FAILED;
    }
    OF_NETTY.forEach((key, value) -> System.setProperty(key, System.getProperty(key, value)));
    return line.execute(args);
  }

  /** The command line of a program that has no commands, or names them by its annotation. */
  public static CommandLine of(Object program) {
    return of(program, List.of());
  }

  /**
   * The command line of a program with commands.
   *
   * @param args what it is made for: where they call a command it has this one alone, because to
   *     build all of them takes most of a short command's time; otherwise it has all
   */
  public static CommandLine of(Object program, List<Class<?>> commands, String... args) {
    CommandLine line = new CommandLine(program);
    List<Class<?>> called =
        commands.stream()
            .filter(command -> args.length > 0 && name(command).equals(args[0]))
            .toList();
    (called.isEmpty() ? commands : called).forEach(line::addSubcommand);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.registerConverter(HostPort.class, text -> value(text, HostPort::parse));
    line.setExecutionExceptionHandler(Cli::fail);
    line.setParameterExceptionHandler(Cli::refuse);
    return line;
  }

  /** What is wrong with a level, or null: logback takes one that it does not know for DEBUG. */
  static String levelProblem(String level) {
    return level == null || LOG_LEVELS.contains(level.toUpperCase(Locale.ROOT))
        ? null
        : "%s is \"%s\": expected one of %s"
            .formatted(LogConfiguration.LEVEL, level, String.join(", ", LOG_LEVELS));
  }

  private static String name(Class<?> command) {
    return command.getAnnotation(Command.class).name();
  }

  /**
   * An option's value.
   *
   * @param parser throws IllegalArgumentException, which says what is expected
   */
  public static <T> T value(String text, Function<String, T> parser) {
    try {
      return parser.apply(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }

  /**
   * Tells systemd that a server serves, and waits for its end. A signal ends it by its hook: this
   * returns only when it fails.
   *
   * @return the command's status
   */
  public static int awaitFailure(CompletableFuture<Throwable> failure, PrintWriter err)
      throws IOException, InterruptedException {
    Readiness.tell();
    try {
      Throwable cause = failure.get();
      tell(err, "stopped: " + why(cause));
      err.flush();
      return FAILED;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Why a server stopped, as a clause. */
  public static String why(Throwable cause) {
    return cause.getMessage() == null
        ? "an error in the program, which the log shows"
        : cause.getMessage();
  }

  /** What an operator can mend is one line; anything else is our fault, and shows where. */
  private static int fail(Exception e, CommandLine line, CommandLine.ParseResult parsed) {
    PrintWriter err = line.getErr();
    if (e instanceof OperatorError || e instanceof IOException) {
      tell(err, e instanceof IOException io ? sentence(io) : e.getMessage());
    } else {
      e.printStackTrace(err);
    }
    err.flush();
    return FAILED;
  }

  /** What was wrong; the JDK's message of some is a path alone. */
  public static String sentence(IOException e) {
    if (e instanceof FileSystemException f && f.getFile() != null) {
      return f.getFile() + ": " + FileErrors.reason(f);
    }
    return e.getMessage() == null
        ? "input or output failed; " + FileErrors.reason(e)
        : e.getMessage();
  }

  private static int refuse(CommandLine.ParameterException e, String[] args) {
    CommandLine line = e.getCommandLine();
    String help = line.getCommandSpec().qualifiedName() + " --help";
    String message = e.getMessage();
    if (e instanceof UnmatchedArgumentException unmatched) {
      message = "unknown argument " + String.join(" ", unmatched.getUnmatched());
    }
    tell(line.getErr(), message + "; see " + help);
    line.getErr().flush();
    return FAILED;
  }

  private static void tell(PrintWriter err, String message) {
    err.println("mgtm: " + message.replaceAll("\\s*\\R\\s*", " "));
  }
}
