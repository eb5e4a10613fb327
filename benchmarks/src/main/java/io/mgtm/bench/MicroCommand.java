package io.mgtm.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** {@code mgtm bench micro}: the JMH benchmarks; whatever else is given goes to JMH. */
@Command(
    name = "micro",
    description = {
      "Runs the JMH benchmarks, in under three minutes unless told otherwise.",
      "Every argument goes to JMH: a pattern of names, -prof gc, -f, -wi, -i, -l, -h."
    })
final class MicroCommand implements Callable<Integer> {
  @Unmatched private List<String> arguments = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    try {
      CommandLineOptions given = new CommandLineOptions(arguments.toArray(String[]::new));
      if (given.shouldHelp()) {
        given.showHelp();
        return 0;
      }
      if (given.shouldList()) {
        new Runner(given).list();
        return 0;
      }
      if (given.shouldListProfilers()) {
        given.listProfilers();
        return 0;
      }
      new Runner(withDefaults(given)).run();
      return 0;
    } catch (CommandLineOptionException | RunnerException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static org.openjdk.jmh.runner.options.Options withDefaults(CommandLineOptions given) {
    OptionsBuilder options = new OptionsBuilder();
    options.parent(given);
    if (given.getIncludes().isEmpty()) {
      options.include("io\\.mgtm\\.bench\\.micro\\..*");
    }
    if (!given.getForkCount().hasValue()) {
      options.forks(1);
    }
    if (!given.getWarmupIterations().hasValue()) {
      options.warmupIterations(2);
    }
    if (!given.getWarmupTime().hasValue()) {
      options.warmupTime(TimeValue.milliseconds(500));
    }
    if (!given.getMeasurementIterations().hasValue()) {
      options.measurementIterations(3);
    }
    if (!given.getMeasurementTime().hasValue()) {
      options.measurementTime(TimeValue.milliseconds(500));
    }
    return options.build();
  }
}
