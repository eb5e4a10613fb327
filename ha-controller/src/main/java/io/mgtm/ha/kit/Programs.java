package io.mgtm.ha.kit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/**
 * Runs programs: in sessions of their own, until their deadline. What they print is read while they
 * run and forgotten but for its beginning and its end; where that cannot be, for want of a file,
 * they run all the same. A program that has not ended at its deadline, or whose thread is
 * interrupted, is killed with all that it started, also what has left its session. What a program
 * leaves running when it ends by itself stays; it must not print to where the program did, as
 * nobody reads there any more. Any thread; the calls block.
 */
public final class Programs {
  /** In the environment of a program and of what it starts; finds them when they are killed. */
  private static final String MARK = "MGTM_HA_RUN";

  /** How the files begin that tell which programs are under way. */
  private static final String NOTE = "running-";

  private static final int NOTE_BYTES_MAX = 64;
  private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

  private static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  private static final int BUFFER_BYTES = 16 << 10;
  private static final int INPUT_BYTES_MAX = 16 << 10;

  /** As much as a pipe holds. */
  private static final int LEFT_BYTES_MAX = 64 << 10;

  private static final int POLL_MS = 10;
  private static final int IDLE_MAX = 20;
  private static final int PAUSE_NANOS = 50_000;
  private static final int KILL_MS = 2_000;
  private static final int LINES_SHOWN = 5;

  private Programs() {}

  /**
   * How a program ended.
   *
   * @param status its exit status, 128 and more for a signal
   * @param output what it printed to both of its outputs, or its beginning and end; that it was not
   *     read, and why, when it was not
   * @param isRead whether it was
   */
  public record Ended(Program program, int status, String output, boolean isRead) {
    /** The output of a program that was asked for it; throws when it was not read. */
    String told() throws KitException {
      if (!isRead) {
        throw new KitException(program + said(output));
      }
      return output;
    }

    /** Throws unless the status is 0. */
    public Ended succeeded() throws KitException {
      if (status != 0) {
        throw new KitException(program + " ended with status " + status + said(output));
      }
      return this;
    }
  }

  /** The last lines of an output, as the end of a sentence. */
  static String said(String output) {
    List<String> lines = output.lines().map(String::strip).filter(l -> !l.isEmpty()).toList();
    List<String> last = lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size());
    return last.isEmpty() ? " and said nothing" : ": " + String.join(" / ", last);
  }

  /**
   * Runs a program to its end.
   *
   * @throws KitException when it cannot be started, or has not ended at its deadline
   * @throws InterruptedException when the thread was interrupted; the program is killed by then
   */
  public static Ended run(Program program) throws KitException, InterruptedException {
    Deadline deadline = Deadline.in(program.deadlineMs());
    String mark = UUID.randomUUID().toString();
    Kept kept = new Kept(program.keptBytes());
    try (Note note = Note.open(program, mark);
        Output output = Output.of(program)) {
      Process process = start(program, mark, output.redirect());
      output.begun();
      boolean ended = false;
      try {
        note.began(process.pid());
        ended = read(process, output, kept, deadline);
      } finally {
        if (!ended) {
          kill(process, mark);
        }
      }
      if (!ended) {
        throw new KitException(
            "%s had not ended after %d ms and was killed%s"
                .formatted(program, program.deadlineMs(), said(text(kept, output))));
      }
      boolean isRead = output.lost().isEmpty();
      return new Ended(program, process.exitValue(), text(kept, output), isRead);
    } catch (IOException e) {
      throw new KitException(program + " cannot be run: " + e.getMessage(), e);
    }
  }

  private static String text(Kept kept, Output output) {
    String lost = output.lost();
    return lost.isEmpty() ? kept.text() : "(its output could not be read: " + lost + ")";
  }

  /** The file that tells the next controller of a program that this one has under way. */
  private record Note(Path file) implements AutoCloseable {
    static Note open(Program program, String mark) throws IOException {
      if (program.notes() == null) {
        return new Note(null);
      }
      // Before it begins: of one that is not in its note yet all is ended.
      Files.createDirectories(program.notes());
      return new Note(Files.createFile(program.notes().resolve(NOTE + mark)));
    }

    void began(long pid) {
      if (file != null) {
        long ticks = Processes.of(pid).map(Processes.Proc::startedTicks).orElse(0L);
        try {
          Files.writeString(file, pid + " " + ticks);
        } catch (IOException e) {
          // Without room for it, it stays as one that is not in its note yet.
        }
      }
    }

    @Override
    public void close() throws IOException {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    }
  }

  /**
   * Ends the programs that an earlier controller, which was killed, had under way: with all that
   * they started, until nothing is left. What a program has left running that has ended by itself
   * since stays.
   *
   * @param folder where they were noted; this controller has noted none there yet
   */
  public static void endFormer(Path folder) throws KitException, InterruptedException {
    try {
      if (Files.isDirectory(folder)) {
        try (DirectoryStream<Path> notes = Files.newDirectoryStream(folder, NOTE + "*")) {
          for (Path note : notes) {
            endFormer(note, note.getFileName().toString().substring(NOTE.length()));
          }
        }
      }
    } catch (IOException e) {
      throw new KitException(
          "what an earlier controller had under way cannot be found in %s: %s"
              .formatted(folder, e.getMessage()),
          e);
    }
  }

  private static void endFormer(Path note, String mark) throws IOException, InterruptedException {
    String[] told = noted(note);
    // A damaged one says no more than one that was not written yet.
    boolean begun = told.length == 2 && Arrays.stream(told).allMatch(NUMBER.asMatchPredicate());
    long session = begun ? Long.parseLong(told[0]) : 0;
    boolean ended =
        begun
            && Processes.of(session)
                .filter(one -> Long.toString(one.startedTicks()).equals(told[1]))
                .isEmpty();
    while (!ended) {
      ended = kill(session, mark) == 0;
      Thread.sleep(ended ? 0 : POLL_MS);
    }
    Files.delete(note);
  }

  private static String[] noted(Path note) throws IOException {
    try (InputStream file = Files.newInputStream(note)) {
      String text = new String(file.readNBytes(NOTE_BYTES_MAX), StandardCharsets.ISO_8859_1);
      return text.strip().split(" ", -1);
    } catch (IOException e) {
      throw new IOException(
          "the note %s cannot be read (%s); remove it, and end by hand what is left of that program"
              .formatted(note, e.getMessage()),
          e);
    }
  }

  private static Process start(Program program, String mark, Redirect output) throws IOException {
    List<String> command = new ArrayList<>(List.of("setsid"));
    command.addAll(program.command());
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(program.folder().toFile())
            .redirectErrorStream(true)
            .redirectOutput(output);
    environment(builder, program.environment());
    builder.environment().put(MARK, mark);
    boolean reads = !program.input().isEmpty();
    builder.redirectInput(reads ? Redirect.PIPE : Redirect.from(Path.of("/dev/null").toFile()));
    Process process = builder.start();
    if (reads) {
      give(process, program.input());
    }
    return process;
  }

  /** As a pipe holds more, nothing is waited for, whether the program reads or not. */
  private static void give(Process process, String input) {
    byte[] bytes = input.getBytes(StandardCharsets.UTF_8);
    try (OutputStream to = process.getOutputStream()) {
      to.write(bytes, 0, Math.min(bytes.length, INPUT_BYTES_MAX));
    } catch (IOException e) {
      // It has ended without reading; its status tells what that means.
    }
  }

  static void environment(ProcessBuilder builder, Map<String, String> given) {
    Map<String, String> environment = builder.environment();
    environment.clear();
    environment.put("PATH", PATH);
    environment.put("LC_ALL", "C");
    environment.putAll(given);
  }

  /** Whether it has ended before the deadline. */
  private static boolean read(Process process, Output output, Kept kept, Deadline deadline)
      throws IOException, InterruptedException {
    byte[] buffer = new byte[BUFFER_BYTES];
    int idle = 0;
    while (process.isAlive()) {
      if (deadline.passed()) {
        return false;
      }
      idle = readSome(output, buffer, kept) ? 0 : idle + 1;
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      if (idle > IDLE_MAX) {
        process.waitFor(Math.min(POLL_MS, deadline.leftMs() + 1), TimeUnit.MILLISECONDS);
      } else if (idle > 0) {
        LockSupport.parkNanos(PAUSE_NANOS); // one that prints much goes on soon
      }
    }
    for (int left = 0; left < LEFT_BYTES_MAX && readSome(output, buffer, kept); ) {
      left += BUFFER_BYTES;
    }
    return true;
  }

  private static boolean readSome(Output output, byte[] buffer, Kept kept) throws IOException {
    int ready = output.available();
    if (ready > 0) {
      kept.add(buffer, output.read(buffer, Math.min(ready, buffer.length)));
    }
    return ready > 0;
  }

  /** One that waits in the kernel for a device cannot be killed yet, and is not waited for. */
  private static void kill(Process process, String mark) {
    Deadline deadline = Deadline.in(KILL_MS);
    while (kill(process.pid(), mark) > 0 && !deadline.passed()) {
      Thread.onSpinWait();
    }
  }

  /** How many there were. */
  private static int kill(long session, String mark) {
    return Processes.kill(
        one -> (session != 0 && one.session() == session) || one.hasEnvironment(MARK + "=" + mark));
  }

  /** The beginning and the end of what was printed. */
  private static final class Kept {
    private final byte[] head;
    private final byte[] tail;
    private long total;

    Kept(int bytes) {
      head = new byte[bytes];
      tail = new byte[bytes];
    }

    void add(byte[] bytes, int count) {
      for (int i = 0; i < count; i++, total++) {
        if (total < head.length) {
          head[(int) total] = bytes[i];
        } else {
          tail[(int) ((total - head.length) % tail.length)] = bytes[i];
        }
      }
    }

    String text() {
      int first = (int) Math.min(total, head.length);
      int last = (int) Math.min(total - first, tail.length);
      long lost = total - first - last;
      byte[] end = new byte[last];
      for (int i = 0; i < last; i++) {
        end[i] = tail[(int) ((total - first - last + i) % tail.length)];
      }
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      all.write(head, 0, first);
      if (lost > 0) {
        all.writeBytes("\n... %d bytes ...\n".formatted(lost).getBytes(StandardCharsets.UTF_8));
      }
      all.writeBytes(end);
      return all.toString(StandardCharsets.UTF_8);
    }
  }
}
