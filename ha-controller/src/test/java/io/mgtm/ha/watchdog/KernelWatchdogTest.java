package io.mgtm.ha.watchdog;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelWatchdogTest {
  @Test
  void onlyACharacterDeviceIsTaken(@TempDir Path folder) throws Exception {
    Path file = Files.createFile(folder.resolve("watchdog0"));

    assertThatCode(() -> KernelWatchdog.check("")).doesNotThrowAnyException();
    assertThatCode(() -> KernelWatchdog.check("/dev/null")).doesNotThrowAnyException();
    assertThatThrownBy(() -> KernelWatchdog.check(file.toString()))
        .hasMessageContaining("no character device but a file");
    assertThatThrownBy(() -> KernelWatchdog.check(folder.resolve("watchdog").toString()))
        .hasMessageContaining("there is no " + folder.resolve("watchdog"))
        .hasMessageContaining("there is " + file);
  }
}
