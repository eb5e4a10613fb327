package io.mgtm.block.it;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.PrintStream;
import java.util.Arrays;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the test classes that the arguments name, in the kernel lab. Ends with 0 only when all ran
 * and passed.
 */
public final class LabRunner implements TestExecutionListener {
  private final PrintStream out = System.out;
  private int passed;
  private int notPassed;

  private LabRunner() {}

  /** Runs what the arguments name. */
  public static void main(String[] arguments) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(Arrays.stream(arguments).map(LabRunner::select).toList())
            .build();
    LabRunner runner = new LabRunner();
    LauncherFactory.create().execute(request, runner);
    runner.out.printf("%d tests passed, %d failed or SKIPPED%n", runner.passed, runner.notPassed);
    runner.out.flush();
    System.exit(runner.notPassed == 0 && runner.passed > 0 ? 0 : 1);
  }

  private static DiscoverySelector select(String name) {
    return name.contains("#") ? selectMethod(name) : selectClass(name);
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    notPassed++;
    out.println("SKIPPED " + test.getUniqueId() + ": " + reason);
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
      passed += test.isTest() ? 1 : 0;
      if (test.isTest()) {
        out.println("passed " + test.getUniqueId());
      }
    } else {
      notPassed++;
      out.println(result.getStatus() + " " + test.getUniqueId());
      result.getThrowable().ifPresent(it -> it.printStackTrace(out));
    }
    out.flush();
  }
}
