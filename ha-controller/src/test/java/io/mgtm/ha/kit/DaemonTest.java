package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DaemonTest {
  @TempDir Path folder;

  @Test
  void isSeenFromItsStartToItsEnd() throws Exception {
    KitContext context = new Rig(folder).context("daemon", Map.of());
    Files.createDirectories(context.runtime());
    Daemon daemon = new Daemon(context);
    for (int i = 0; i < 50; i++) {
      daemon.start(List.of("sh", "-c", "echo begun; exec sleep 1000"), Map.of());
      for (int j = 0; j < 20; j++) {
        assertThat(daemon.isRunning()).isTrue();
      }
      daemon.kill(Deadline.in(60_000));
      assertThat(daemon.isRunning()).isFalse();
    }
    // In none of these it need have come to speak.
    daemon.start(List.of("sh", "-c", "echo begun; exec sleep 1000"), Map.of());
    Await.until("it speaks", () -> daemon.said().contains("begun"));
    daemon.kill(Deadline.in(60_000));
    assertThat(daemon.said()).contains("begun");
    Rig.removeGroup(context);
  }

  @Test
  void joinsItsControlGroup() throws Exception {
    KitContext context = new Rig(folder).context("grouped", Map.of());
    Rig.needThat(Cgroup.made(context).isPresent(), "there are no control groups of version 2");
    Path group = Cgroup.folder(context).orElseThrow();
    Files.createDirectories(context.runtime());
    Daemon daemon = new Daemon(context);
    daemon.start(List.of("sh", "-c", "cd /; setsid sleep 1000 & sleep 1000"), Map.of());
    Await.until(
        "all are in it", () -> Files.readAllLines(group.resolve("cgroup.procs")).size() == 3);

    Await.until("all are gone", () -> Cgroup.kill(group) == 0);

    assertThat(daemon.isRunning()).isFalse();
    Rig.removeGroup(context);
  }
}
