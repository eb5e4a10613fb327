package io.mgtm.ha.cli;

import io.mgtm.ha.cli.InitPlan.Machine;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What a person does once {@code mgtm ha init} has written the files. */
final class InitSteps {
  /** There when the package is installed. */
  private static final Path UNIT = Path.of("/lib/systemd/system/mgtm-ha.service");

  private InitSteps() {}

  /** Prints what to do next, once the files are {@code written}, or were there before. */
  static void tell(InitPlan plan, Map<Path, Boolean> written, PrintWriter out) {
    boolean unit = Files.exists(UNIT);
    String mgtm = unit ? "mgtm" : "./mgtm";
    Path file = written.keySet().iterator().next();
    String files = names(written.keySet());
    List<Path> kept = written.keySet().stream().filter(each -> !written.get(each)).toList();
    out.println();
    out.println("Written: " + names(written.keySet().stream().filter(written::get).toList()));
    if (!kept.isEmpty()) {
      out.println("Kept, since other machines may have it already: " + names(kept));
    }
    out.println("Next:");
    out.println("1. Copy these to the other machines, the secrets with mode 0600:");
    for (Machine other : plan.all().subList(1, plan.all().size())) {
      out.printf("   scp -p %s root@%s:%s/%n", files, other.addresses().get(0), file.getParent());
    }
    if (!plan.witness().disk().isEmpty()) {
      out.println("   and on one machine, once, make the disk that votes:");
      out.printf("   %s ha quorum-disk create --config %s%n", mgtm, file);
    }
    out.println(
        "2. Let nothing else start the database, on every machine that may run it, such as:");
    out.printf("   systemctl disable --now %s%n", plan.database().kit());
    if (plan.volume().isPresent()) {
      out.println("3. Fill the volume: docs/ha.md, \"A database on a replicated volume\"; its");
      out.printf("   file system is mounted on %s%n", plan.mount());
    } else if (plan.nodes().size() > 1) {
      out.println("3. See that every machine reaches the same data: init has set up no volume.");
    }
    // Commands find the secret where the configuration is in its usual place.
    String shown =
        file.equals(MachineSecret.CONFIGURATION) ? "" : " --secret-file " + plan.secretFile();
    out.println("4. On every machine:");
    out.println(unit ? "   systemctl enable --now mgtm-ha" : "   ./mgtm ha start --config " + file);
    out.printf("5. On one of them: %s ha status%s%n", mgtm, shown);
    if (plan.volume().isPresent()) {
      out.printf(
          "   It begins on %3$s by itself; where it waits, once: %1$s ha start %2$s --on %3$s%4$s%n",
          mgtm, plan.cluster(), plan.nodes().get(0).name(), shown);
    }
  }

  private static String names(Collection<Path> files) {
    return files.stream().map(Path::toString).collect(Collectors.joining(" "));
  }
}
