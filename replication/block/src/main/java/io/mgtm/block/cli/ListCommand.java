package io.mgtm.block.cli;

import java.io.IOException;
import java.nio.file.Path;
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
    for (Map.Entry<String, Path> volume : new Registry().all().entrySet()) {
      String line;
      try {
        line =
            StatusCommand.text(
                ControlClient.ask(volume.getValue(), ControlClient.command("status")));
      } catch (IOException e) {
        line = volume.getKey() + ": not running, metadata in " + volume.getValue();
      }
      System.out.println(line);
    }
    return 0;
  }
}
