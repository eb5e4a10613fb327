package io.mgtm.local;

import io.mgtm.common.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * A server that runs as a process of its own. What it prints goes to a file; it is ready when a
 * line says that it is listening. Any thread.
 */
public final class ChildProcess implements AutoCloseable {
  /** What programs print of their own; log lines of libraries say the like of other sockets. */
  private static final Pattern READY = Pattern.compile("(GTM|Proxy) listening on .*");

  /** How a program begins the sentence by which it ends. */
  private static final String ERROR = "mgtm: ";

  private static final int STOP_MS = 15_000;

  private final String name;
  private final Path log;
  private final Process process;
  private final CompletableFuture<String> ready = new CompletableFuture<>();

  private ChildProcess(String name, Path log, Process process) {
    this.name = name;
    this.log = log;
    this.process = process;
  }

  /**
   * Starts it.
   *
   * @param log what it prints is appended there
   * @throws IOException when the program cannot be run or the file not be written
   */
  public static ChildProcess start(String name, List<String> command, Path log) throws IOException {
    Files.createDirectories(log.toAbsolutePath().getParent());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    ChildProcess child = new ChildProcess(name, log, builder.start());
    Thread pump = new Thread(child::pump, "output-" + name);
    pump.setDaemon(true);
    pump.start();
    return child;
  }

  private void pump() {
    try (BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        PrintWriter out =
            new PrintWriter(
                Files.newBufferedWriter(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND),
                true)) {
      String reason = "ended before it listened";
      String line;
      while ((line = lines.readLine()) != null) {
        out.println(line);
        if (READY.matcher(line).matches()) {
          ready.complete(line);
        } else if (line.startsWith(ERROR)) {
          reason = line.substring(ERROR.length());
        }
      }
      ready.completeExceptionally(new IOException(name + ": " + reason + "; see " + log));
    } catch (IOException e) {
      ready.completeExceptionally(e);
    }
  }

  /**
   * Waits until it listens.
   *
   * @throws IOException when it ended, or did not come so far in time
   */
  public void awaitReady(int timeoutMs) throws IOException, InterruptedException {
    try {
      ready.get(timeoutMs, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e);
    } catch (TimeoutException e) {
      throw new IOException(name + " did not listen within " + timeoutMs + " ms; see " + log, e);
    }
  }

  /** Its name, for messages. */
  public String name() {
    return name;
  }

  /** Its process id. */
  public long pid() {
    return process.pid();
  }

  /** Whether it runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Ends it at once, as kill -9 does, and waits until it is gone. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Sends it a signal by name, for example CONT. Told to STOP, it stands still on return. */
  public void signal(String signal) throws IOException, InterruptedException {
    Signals.send(pid(), signal);
  }

  /** Asks it to end, and kills it when it does not within 15 s. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_MS, TimeUnit.MILLISECONDS)) {
        kill();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
