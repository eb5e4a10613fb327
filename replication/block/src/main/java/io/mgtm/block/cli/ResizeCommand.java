package io.mgtm.block.cli;

import io.mgtm.block.config.Size;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Grows a volume and its replicas. */
@Command(
    name = "resize",
    description =
        "Grows a running primary and its replicas; clients see it when they connect again.",
    mixinStandardHelpOptions = true)
final class ResizeCommand implements Callable<Integer> {
  @Mixin ControlClient control;

  @Option(names = "--size", required = true, description = "The new size, such as 2G.")
  Size size;

  @Override
  public Integer call() throws IOException {
    control.ask(ControlClient.command("resize").put("sizeBytes", size.bytes()));
    System.out.println("volume " + control.name + " has " + size.bytes() + " bytes");
    return 0;
  }
}
