package io.mgtm.ha.kit;

import io.mgtm.ha.kit.Mounts.Mount;
import io.mgtm.ha.kit.Programs.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A file system, mounted on a block device or on an NBD server's export. Its journal is recovered
 * by mounting it; fsck is an operator's work.
 */
final class FilesystemKit implements Kit {
  private static final int GUARD_MS = 1_500;
  private static final double IN_ORDER = 0.4;
  private static final double AFTER_TERM = 0.4;

  /** A block that is written through to the device, and read again from there. */
  private static final String WRITE =
      "f=$1/.mgtm-ha-check; echo \"$2\" | dd of=\"$f\" conv=fsync status=none"
          + " && [ \"$(dd if=\"$f\" iflag=nocache status=none)\" = \"$2\" ]";

  @Override
  public String name() {
    return "filesystem";
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(
        new Parameter("mount", true, "", "the folder that it is mounted on"),
        new Parameter("device", false, "", "its block device; or nbd"),
        new Parameter("nbd", false, "", "its NBD export, nbd+unix:///NAME?socket=PATH; or device"),
        new Parameter(
            "attach", false, "auto", "how nbd is attached: kernel, fuse, or auto, what there is"),
        new Parameter("type", false, "ext4", "its type, as mount -t takes it"),
        new Parameter("options", false, "defaults", "its options, as mount -o takes them"));
  }

  private static Path mountPoint(KitContext context) {
    return Processes.real(Path.of(context.parameters().get("mount")));
  }

  private static BlockDevice device(KitContext context) throws KitException {
    boolean device = context.parameters().containsKey("device");
    if (device == context.parameters().containsKey("nbd")) {
      throw new KitException(
          "resource %s needs either device or nbd".formatted(context.resource()));
    }
    return new BlockDevice(context);
  }

  private static boolean wantedReadOnly(KitContext context) {
    String options = context.parameters().getOrDefault("options", "");
    return List.of(options.split(",", -1)).contains("ro");
  }

  @Override
  public void inService(KitContext context) throws KitException, InterruptedException {
    Deadline deadline = Deadline.of(context);
    Path mount = mountPoint(context);
    BlockDevice device = device(context);
    if (quickCheck(context).state() == Health.State.IN_SERVICE) {
      return;
    }
    unmount(context, deadline);
    String source = device.attach(deadline);
    try {
      Files.createDirectories(mount);
    } catch (IOException e) {
      throw new KitException(mount + " cannot be made: " + e.getMessage(), e);
    }
    String type = context.parameters().getOrDefault("type", "ext4");
    String options = context.parameters().getOrDefault("options", "defaults");
    Ended mounted =
        Programs.run(
            Program.of(deadline, "mount", "-t", type, "-o", options, source, mount.toString()));
    if (mounted.status() != 0) {
      throw new KitException(
          "%s could not be mounted on %s%s; if its file system is damaged, run fsck by hand"
              .formatted(source, mount, Programs.said(mounted.output())));
    }
    device.mounted(source, deadline);
  }

  @Override
  public void outOfService(KitContext context) throws KitException, InterruptedException {
    Deadline deadline = Deadline.of(context);
    BlockDevice device = device(context);
    unmount(context, deadline);
    device.detach(deadline);
  }

  /** In order; then after its users were ended; then without waiting for them. */
  private static void unmount(KitContext context, Deadline deadline)
      throws KitException, InterruptedException {
    Path mount = mountPoint(context);
    if (Mounts.of(mount).isEmpty()) {
      return;
    }
    boolean works = device(context).trouble().isEmpty();
    if (works && umount(mount, deadline.part(IN_ORDER))) {
      return;
    }
    Processes.all().stream()
        .filter(one -> one.uses(mount))
        .forEach(one -> Processes.signal(one, false));
    if (works
        && deadline
            .part(AFTER_TERM)
            .await(() -> Processes.all().stream().noneMatch(p -> p.uses(mount)))
        && umount(mount, deadline.part(AFTER_TERM))) {
      return;
    }
    deadline.part(AFTER_TERM).await(() -> Processes.kill(one -> one.uses(mount)) == 0);
    if (works && umount(mount, deadline.part(AFTER_TERM))) {
      return;
    }
    Programs.run(Program.of(deadline, "umount", "-l", mount.toString())).succeeded();
  }

  private static boolean umount(Path mount, Deadline deadline) throws InterruptedException {
    try {
      return Programs.run(Program.of(deadline, "umount", mount.toString())).status() == 0;
    } catch (KitException e) {
      return Mounts.of(mount).isEmpty();
    }
  }

  @Override
  public Health quickCheck(KitContext context) throws KitException {
    Path point = mountPoint(context);
    BlockDevice device = device(context);
    Optional<Mount> mount = Mounts.of(point);
    if (mount.isEmpty()) {
      return Health.out("not mounted on " + point);
    }
    String trouble = device.trouble();
    if (!trouble.isEmpty()) {
      return Health.failed(trouble);
    }
    String source = mount.get().source();
    if (device.attached().filter(source::equals).isEmpty()) {
      return Health.failed("%s is mounted on %s, not this one".formatted(source, point));
    }
    if (mount.get().isReadOnly() && !wantedReadOnly(context)) {
      return Health.failed(
          "%s is read-only: the kernel found an error, dmesg says which".formatted(point));
    }
    return Health.in("%s on %s".formatted(source, point));
  }

  @Override
  public Health deepCheck(KitContext context) throws KitException, InterruptedException {
    Health quick = quickCheck(context);
    if (quick.state() != Health.State.IN_SERVICE || wantedReadOnly(context)) {
      return quick;
    }
    String text = context.node() + " " + System.nanoTime();
    Ended written =
        Programs.run(
            Program.shell(Deadline.of(context), WRITE, mountPoint(context).toString(), text));
    return written.status() == 0
        ? Health.in(quick.detail() + ", wrote a block")
        : Health.failed("a write failed" + Programs.said(written.output()));
  }

  /** The device's writer first: nothing that is written after that gets out. */
  @Override
  public List<GuardStep> guard(KitContext context) {
    BlockDevice device = new BlockDevice(context);
    List<GuardStep> steps = new ArrayList<>(device.guard());
    Path mount = mountPoint(context);
    String script =
        "umount -l '%s'\n%s! grep -qF ' %s ' /proc/self/mountinfo\n"
            .formatted(mount, device.detachScript(), mount);
    steps.add(new GuardStep.Run(List.of("/bin/sh", "-c", script), GUARD_MS));
    return steps;
  }
}
