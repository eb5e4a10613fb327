package io.mgtm.block.cli;

import io.mgtm.block.agent.VolumeFiles;
import io.mgtm.block.config.VolumeConfig;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Creates a volume without serving it. */
@Command(
    name = "create",
    description = "Creates a volume without serving it.",
    mixinStandardHelpOptions = true)
final class CreateCommand implements Callable<Integer> {
  @Mixin VolumeOptions volume;

  @Override
  public Integer call() throws IOException {
    VolumeConfig config = volume.checked(volume::bare);
    String key = VolumeFiles.create(config);
    new Registry().add(config.name(), config.meta());
    System.out.println(
        "volume "
            + config.name()
            + " created in "
            + config.file()
            + ", metadata in "
            + config.meta());
    if (key != null) {
      System.out.println(
          "link key, shown once: "
              + key
              + "\n"
              + "The other copies need it: put it into a file there, and give that to 'mgtm volume"
              + " create --link-key FILE'.");
    }
    return 0;
  }
}
