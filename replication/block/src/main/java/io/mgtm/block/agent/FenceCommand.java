package io.mgtm.block.agent;

import io.mgtm.block.config.FenceConfig;
import io.mgtm.block.link.PeerText;
import io.mgtm.block.volume.FenceRequest;
import io.mgtm.block.volume.VolumeState;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Runs the fence command, one process at a time, until it ends with status 0 or nobody waits for it
 * any more. A thread of its own starts and watches it; what it prints is read and thrown away but
 * for the last line. Methods are called on the owner's event loop.
 */
final class FenceCommand implements AutoCloseable {
  private static final long PAUSE_MS_MIN = 500;
  private static final long PAUSE_MS_MAX = 5_000;
  private static final long POLL_MS = 20;
  private static final long KILLED_MS_MAX = 1_000;
  private static final int TAIL_BYTES = 256;

  private final FenceConfig config;
  private final Executor owner;
  private final BiConsumer<String, String> attempted;
  private final ExecutorService runner =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "fence");
            thread.setDaemon(true);
            return thread;
          });
  private Asking asking;

  /**
   * A command that does not run yet.
   *
   * @param attempted told, on {@code owner}, the request's token and null, or why an attempt failed
   */
  FenceCommand(FenceConfig config, Executor owner, BiConsumer<String, String> attempted) {
    this.config = config;
    this.owner = owner;
    this.attempted = attempted;
  }

  /** Asks this, and nothing else any more; nobody where the cluster reads the status instead. */
  void ask(VolumeState volume, FenceRequest request) {
    end();
    if (config.command() == null) {
      return;
    }
    Map<String, String> environment =
        Map.of(
            "MGTM_VOLUME", volume.name(),
            "MGTM_VOLUME_ID", volume.standing().volumeId(),
            "MGTM_GENERATION", request.token(),
            "MGTM_LOST", String.join(",", request.lost()),
            "MGTM_IN_SYNC", String.join(",", request.inSync()));
    asking = new Asking(request.token(), environment);
    runner.execute(asking);
  }

  /** Nobody waits any more: a process that runs is killed. */
  void end() {
    if (asking != null) {
      asking.ended.countDown();
      asking = null;
    }
  }

  @Override
  public void close() {
    end();
    runner.shutdown();
  }

  /** One question, asked until it is answered. On the thread of its own. */
  private final class Asking implements Runnable {
    private final String token;
    private final Map<String, String> environment;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final byte[] tail = new byte[TAIL_BYTES];
    private int tailBytes;

    Asking(String token, Map<String, String> environment) {
      this.token = token;
      this.environment = environment;
    }

    private boolean isEnded() {
      return ended.getCount() == 0;
    }

    @Override
    public void run() {
      try {
        long pauseMs = PAUSE_MS_MIN;
        while (!isEnded()) {
          String failure = once();
          if (isEnded()) {
            // The owner may be shutting down, and takes nothing any more.
            return;
          }
          owner.execute(() -> attempted.accept(token, failure));
          if (failure == null || ended.await(pauseMs, TimeUnit.MILLISECONDS)) {
            return;
          }
          pauseMs = Math.min(PAUSE_MS_MAX, 2 * pauseMs);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** Runs the command once; answers null, or how it failed. */
    private String once() throws InterruptedException {
      tailBytes = 0;
      ProcessBuilder builder =
          new ProcessBuilder("/bin/sh", "-c", config.command())
              .redirectErrorStream(true)
              .redirectInput(new File("/dev/null"));
      builder.environment().putAll(environment);
      Process process;
      try {
        process = builder.start();
      } catch (IOException e) {
        return "the fence command cannot be run: " + e.getMessage();
      }
      try {
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(config.timeoutMs());
        while (!process.waitFor(POLL_MS, TimeUnit.MILLISECONDS)) {
          drain(process.getInputStream());
          if (isEnded() || System.nanoTime() - deadlineNs > 0) {
            return "the fence command did not end within " + config.timeoutMs() + " ms" + said();
          }
        }
        drain(process.getInputStream());
        return process.exitValue() == 0
            ? null
            : "the fence command ended with status " + process.exitValue() + said();
      } finally {
        kill(process);
      }
    }

    /**
     * Reads what is there, and no more: a process that the command left behind may hold the pipe
     * open for ever, and one that prints without end is not to be waited for.
     */
    private void drain(InputStream output) {
      try {
        for (int i = 0; i < 64 && output.available() > 0; i++) {
          byte[] more = output.readNBytes(Math.min(output.available(), 64 * 1024));
          keep(more);
        }
      } catch (IOException e) {
        keep(new byte[0]);
      }
    }

    private void keep(byte[] more) {
      byte[] both = Arrays.copyOf(tail, tailBytes + more.length);
      System.arraycopy(more, 0, both, tailBytes, more.length);
      tailBytes = Math.min(TAIL_BYTES, both.length);
      System.arraycopy(both, both.length - tailBytes, tail, 0, tailBytes);
    }

    /** The last line that it printed. */
    private String said() {
      String text = new String(tail, 0, tailBytes, StandardCharsets.UTF_8).strip();
      String line = PeerText.of(text.substring(text.lastIndexOf('\n') + 1));
      return line.isEmpty() ? "" : ": " + line;
    }

    private void kill(Process process) throws InterruptedException {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor(KILLED_MS_MAX, TimeUnit.MILLISECONDS);
      try {
        process.getInputStream().close();
      } catch (IOException e) {
        // Nothing more is read from it.
        tailBytes = 0;
      }
    }
  }
}
