package io.mgtm.ha.kit;

import io.mgtm.ha.kit.Programs.Ended;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The block device that a file system lies on: one that there is, or an NBD server's export, by the
 * kernel's client where there is one, else by nbdfuse and a loop device.
 */
final class BlockDevice {
  private static final Path DEVICES = Path.of("/sys/block");
  private static final int NBD_MAX = 16;

  /** What the kernel adds to the name of a file that it has not found again. */
  private static final String DELETED = " (deleted)";

  private final KitContext context;
  private final Daemon fuse;
  private final Path file;

  BlockDevice(KitContext context) {
    this.context = context;
    this.fuse = new Daemon(context);
    this.file = Processes.real(context.runtime()).resolve("nbd").resolve("disk");
  }

  private Optional<String> nbd() {
    return Optional.ofNullable(context.parameters().get("nbd"));
  }

  private boolean byKernel() {
    String way = context.parameters().getOrDefault("attach", "auto");
    return way.equals("kernel")
        || (way.equals("auto") && Files.isDirectory(DEVICES.resolve("nbd0")));
  }

  /** Its path once it is attached; empty while it is not. */
  Optional<String> attached() {
    if (nbd().isEmpty()) {
      return Optional.of(context.parameters().get("device"));
    }
    return byKernel() ? kernelDevice() : loopDevice();
  }

  /** Why it cannot be used although it is attached; empty when it can. */
  String trouble() {
    return nbd().isPresent() && !byKernel() && !fuse.isRunning()
        ? "nbdfuse has ended" + fuse.said()
        : "";
  }

  /** The device, attached if need be. */
  String attach(Deadline deadline) throws KitException, InterruptedException {
    if (!trouble().isEmpty()) {
      detach(deadline);
    }
    Optional<String> there = attached();
    if (there.isPresent()) {
      return there.get();
    }
    if (!byKernel() && !fuse.isRunning()) {
      // Not loaded since the boot; without the client the module is of no use.
      Programs.run(
          Program.of(deadline, "sh", "-c", "command -v nbd-client >/dev/null && modprobe nbd"));
    }
    return byKernel() ? attachByKernel(deadline) : attachByFuse(deadline);
  }

  private String attachByFuse(Deadline deadline) throws KitException, InterruptedException {
    if (!fuse.isRunning()) {
      unmountFuse(deadline);
      try {
        Files.createDirectories(file.getParent());
      } catch (IOException e) {
        throw new KitException(file.getParent() + " cannot be made: " + e.getMessage(), e);
      }
      fuse.start(List.of("nbdfuse", file.toString(), nbd().orElseThrow()), Map.of());
    }
    if (!deadline.await(() -> Files.exists(file) || !fuse.isRunning()) || !Files.exists(file)) {
      throw new KitException(
          "nbdfuse does not serve %s%s".formatted(nbd().orElseThrow(), fuse.said()));
    }
    return Programs.run(Program.of(deadline, "losetup", "-f", "--show", file.toString()))
        .succeeded()
        .told()
        .strip();
  }

  private String attachByKernel(Deadline deadline) throws KitException, InterruptedException {
    Programs.run(Program.of(deadline, "modprobe", "nbd"));
    Map<String, String> at = NbdUri.parse(nbd().orElseThrow());
    for (int i = 0; i < NBD_MAX; i++) {
      Path device = DEVICES.resolve("nbd" + i);
      if (Files.isDirectory(device) && !Files.exists(device.resolve("pid"))) {
        List<String> command = new ArrayList<>(List.of("nbd-client"));
        if (at.containsKey("socket")) {
          command.addAll(List.of("-unix", at.get("socket")));
        } else {
          command.addAll(List.of(at.get("host"), at.get("port")));
        }
        command.addAll(List.of("/dev/nbd" + i, "-N", at.get("export")));
        Programs.run(Program.of(deadline, command)).succeeded();
        note("/dev/nbd" + i);
        return "/dev/nbd" + i;
      }
    }
    throw new KitException(
        "there is no free /dev/nbdN; raise nbds_max of the kernel's module nbd, or set attach:"
            + " fuse");
  }

  private Path noted() {
    return context.runtime().resolve("device");
  }

  private void note(String device) throws KitException {
    try {
      Files.writeString(noted(), device + "\n");
    } catch (IOException e) {
      throw new KitException(noted() + " cannot be written: " + e.getMessage(), e);
    }
  }

  private Optional<String> kernelDevice() {
    try {
      String device = Files.readString(noted()).strip();
      Path pid = DEVICES.resolve(Path.of(device).getFileName()).resolve("pid");
      return Files.exists(pid) ? Optional.of(device) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private Optional<String> loopDevice() {
    try (DirectoryStream<Path> loops = Files.newDirectoryStream(DEVICES, "loop*")) {
      for (Path loop : loops) {
        Path backing = loop.resolve("loop/backing_file");
        // Where nbdfuse has died the kernel finds the file no more as soon as somebody asks for it.
        if (Files.exists(backing)
            && Set.of(file.toString(), file + DELETED)
                .contains(Files.readString(backing).strip())) {
          return Optional.of("/dev/" + loop.getFileName());
        }
      }
    } catch (IOException e) {
      return Optional.empty(); // it was detached while this looked
    }
    return Optional.empty();
  }

  /**
   * It was mounted: from now on the kernel lets go of a loop device when it is unmounted by
   * whomever, and the last who uses it is gone.
   */
  void mounted(String device, Deadline deadline) throws KitException, InterruptedException {
    if (nbd().isPresent() && !byKernel()) {
      Programs.run(Program.of(deadline, "losetup", "-d", device)).succeeded();
    }
  }

  /** Also what is left of it after nbdfuse or its server has died. */
  void detach(Deadline deadline) throws KitException, InterruptedException {
    if (nbd().isEmpty()) {
      return;
    }
    Optional<String> device = attached();
    if (device.isPresent()) {
      String[] command =
          byKernel()
              ? new String[] {"nbd-client", "-d", device.get()}
              : new String[] {"losetup", "-d", device.get()};
      Ended ended = Programs.run(Program.of(deadline, command));
      // The kernel may have done it meanwhile.
      if (attached().isPresent()) {
        ended.succeeded();
      }
    }
    if (!byKernel()) {
      unmountFuse(deadline);
      fuse.stop(deadline);
    }
  }

  private void unmountFuse(Deadline deadline) throws KitException, InterruptedException {
    if (Mounts.of(file.getParent()).isPresent()) {
      Programs.run(Program.of(deadline, "fusermount3", "-u", "-z", file.getParent().toString()))
          .succeeded();
    }
  }

  /** What the watchdog does after it has unmounted. */
  List<GuardStep> guard() {
    return nbd().isPresent() && !byKernel() ? fuse.guard() : List.of();
  }

  /** Lines of a shell script that let go of it, without this program. */
  String detachScript() {
    if (nbd().isEmpty()) {
      return "";
    }
    return byKernel()
        ? "nbd-client -d $(cat '%s')\n".formatted(noted())
        : """
        losetup -n -O NAME,BACK-FILE | while read -r l f; do
          case "$f" in '%1$s'|'%1$s%2$s') losetup -d "$l" ;; esac
        done
        fusermount3 -u -z '%3$s'
        """
            .formatted(file, DELETED, file.getParent());
  }
}
