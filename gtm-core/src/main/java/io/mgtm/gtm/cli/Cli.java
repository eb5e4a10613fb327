package io.mgtm.gtm.cli;

import io.mgtm.group.GroupMode;
import io.mgtm.group.LogException;
import io.mgtm.group.storage.IoErrors;
import io.mgtm.gtm.config.ConfigException;
import io.mgtm.gtm.config.HostPort;
import io.mgtm.gtm.migration.ControlFileException;
import io.mgtm.gtm.server.Takeover;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** How the programs of mgtm read their command line and tell what went wrong. */
public final class Cli {
  /** The status of a command that could not do what it was asked to. */
  private static final int FAILED = 1;

  /** What {@code --mode} takes. */
  public static final class Modes implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Arrays.stream(GroupMode.values()).map(GroupMode::label).iterator();
    }
  }

  private Cli() {}

  /** Runs a command; its status. */
  public static int run(CommandLine line, String[] args) {
    // Netty looks for leaked buffers by taking stack traces now and then; tests do, servers do not.
    if (System.getProperty("io.netty.leakDetection.level") == null) {
      ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }
    return line.execute(args);
  }

  /** The command line of a program, for tests to call without ending the process. */
  public static CommandLine of(Object program) {
    CommandLine line = new CommandLine(program);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.registerConverter(HostPort.class, text -> read(text, HostPort::parse));
    line.registerConverter(NodeAddress.class, text -> read(text, NodeAddress::parse));
    line.registerConverter(GroupMode.class, text -> read(text, GroupMode::of));
    line.setExecutionExceptionHandler(Cli::fail);
    line.setParameterExceptionHandler(Cli::refuse);
    return line;
  }

  private static <T> T read(String text, Function<String, T> parser) {
    try {
      return parser.apply(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }

  /**
   * Waits for the end of a server that a signal ends by its hook: this returns only when it fails.
   *
   * @return the command's status
   */
  public static int awaitFailure(CompletableFuture<Throwable> failure, PrintWriter err)
      throws InterruptedException {
    try {
      Throwable cause = failure.get();
      tell(err, "stopped: " + (cause.getMessage() == null ? cause : cause.getMessage()));
      err.flush();
      return FAILED;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /** What an operator can mend is one line; anything else is our fault, and shows where. */
  private static int fail(Exception e, CommandLine line, CommandLine.ParseResult parsed) {
    PrintWriter err = line.getErr();
    if (e instanceof ConfigException
        || e instanceof ControlFileException
        || e instanceof Takeover.RefusedException
        || e instanceof LogException
        || e instanceof IOException) {
      tell(err, e instanceof IOException io ? sentence(io) : e.getMessage());
    } else {
      e.printStackTrace(err);
    }
    err.flush();
    return FAILED;
  }

  /** The JDK's message of some is a path alone. */
  private static String sentence(IOException e) {
    if (e instanceof FileSystemException f && f.getFile() != null) {
      return f.getFile() + ": " + IoErrors.reason(f);
    }
    return e.getMessage() == null ? e.toString() : e.getMessage();
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
