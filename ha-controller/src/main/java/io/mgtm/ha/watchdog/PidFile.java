package io.mgtm.ha.watchdog;

import io.mgtm.ha.kit.Processes;
import io.mgtm.ha.kit.Processes.Proc;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A file whose first line is the number of a process. Users who are not root may have a say in it:
 * each that owns it, a folder above it, or a link on the way. Their files are read no further than
 * a number goes, never waited for, and end only what they may end themselves.
 */
final class PidFile {
  private static final int LINKS_MAX = 40;
  private static final int BYTES_MAX = 32;

  /** A clock that was set meanwhile is out by less, or the process may live on. */
  private static final int CLOCK_S = 10;

  private final Path named;
  private final Set<Integer> owners = new TreeSet<>();
  private int links;

  PidFile(Path named) {
    this.named = named.toAbsolutePath();
  }

  /**
   * SIGKILL to its process and all that descends from it.
   *
   * @return whether there was none
   * @throws IOException when it names nothing that it may end
   */
  boolean killed() throws IOException {
    Optional<Proc> process;
    try {
      process = process();
    } catch (NoSuchFileException e) {
      return true;
    }
    return process.isEmpty() || Processes.kill(process.get()::isSame) == 0;
  }

  private Optional<Proc> process() throws IOException {
    Path file = resolved();
    BasicFileAttributes is = attributes(file);
    if (!is.isRegularFile()) {
      throw new IOException(named + " is no regular file");
    }
    long pid = read(file);
    Optional<Proc> process = Processes.of(pid);
    if (process.isEmpty() || startedAfter(pid, is.lastModifiedTime())) {
      return Optional.empty(); // the process that wrote it has ended
    }
    for (int owner : owners) {
      if (owner != 0 && !mayEnd(owner, pid)) {
        // Who may write the file must not have root end what is not theirs.
        throw new IOException(
            "%s belongs to user %d, and process %d in it does not".formatted(named, owner, pid));
      }
    }
    return process;
  }

  private static BasicFileAttributes attributes(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }

  /** Without links, after each that is on the way was followed; notes who owns what. */
  private Path resolved() throws IOException {
    Deque<Path> left = new ArrayDeque<>();
    named.forEach(left::add);
    Path there = named.getRoot();
    while (!left.isEmpty()) {
      Path next = there.resolve(left.poll()).normalize();
      owners.add((int) Files.getAttribute(next, "unix:uid", LinkOption.NOFOLLOW_LINKS));
      if (!attributes(next).isSymbolicLink()) {
        there = next;
        continue;
      }
      links++;
      if (links > LINKS_MAX) {
        throw new IOException(named + " leads from link to link");
      }
      Path target = Files.readSymbolicLink(next);
      for (int i = target.getNameCount() - 1; i >= 0; i--) {
        left.push(target.getName(i));
      }
      there = target.isAbsolute() ? target.getRoot() : there;
    }
    return there;
  }

  private long read(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      String text = new String(in.readNBytes(BYTES_MAX), StandardCharsets.ISO_8859_1);
      return Long.parseLong(text.lines().findFirst().orElse("").strip());
    } catch (NumberFormatException e) {
      throw new IOException(named + " begins with no pid", e);
    }
  }

  private static boolean startedAfter(long pid, FileTime written) {
    Instant late = written.toInstant().plusSeconds(CLOCK_S);
    return ProcessHandle.of(pid)
        .flatMap(process -> process.info().startInstant())
        .filter(late::isBefore)
        .isPresent();
  }

  /** As the kernel lets a user signal a process: whose real or saved user it is. */
  private static boolean mayEnd(int user, long pid) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
      String[] words = line.split("\\s+", -1);
      if (words[0].equals("Uid:")) {
        String own = Integer.toString(user);
        return words[1].equals(own) || words[3].equals(own);
      }
    }
    return false;
  }
}
