package io.mgtm.block.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Lists the volumes of this user on this machine. */
@Command(
    name = "list",
    description = "Lists the volumes known here.",
    mixinStandardHelpOptions = true)
final class ListCommand implements Callable<Integer> {
  @Override
  public Integer call() throws IOException {
    for (Map.Entry<String, List<Path>> volume : new Registry().all().entrySet()) {
      for (Path meta : volume.getValue()) {
        System.out.println(line(volume.getKey(), meta));
      }
    }
    return 0;
  }

  private static String line(String name, Path meta) {
    if (!Files.isDirectory(meta)) {
      return name + ": its metadata directory " + meta + " is gone";
    }
    try {
      return StatusCommand.text(ControlClient.ask(meta, ControlClient.command("status")));
    } catch (IOException e) {
      return name + ": not running, metadata in " + meta;
    }
  }
}
