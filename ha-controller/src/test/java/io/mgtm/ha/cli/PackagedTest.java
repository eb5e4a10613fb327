package io.mgtm.ha.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Packaged;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** The unit that the package mgtm-ha installs. */
class PackagedTest {
  private static final String UNIT = "mgtm-ha.service";

  @Test
  void theUnitAsksForWhatThereIs() throws IOException {
    String[] words = Packaged.arguments(UNIT).toArray(String[]::new);
    assertThat(HaMain.commandLine().parseArgs(words).subcommand().matchedOption("--config"))
        .isNotNull();
  }

  /** The watchdog, and what is in service, outlive the controller, and see the machine as it is. */
  @Test
  void theUnitLeavesAloneWhatIsInService() throws IOException {
    assertThat(Files.readAllLines(Packaged.file("systemd/" + UNIT)))
        .contains("KillMode=process", "Restart=always", "OOMPolicy=continue", "TasksMax=infinity")
        .noneMatch(line -> line.matches("(Protect|Private|Restrict|RuntimeDirectory|NoNew).*"));
  }
}
