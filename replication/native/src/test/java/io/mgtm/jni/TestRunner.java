package io.mgtm.jni;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.io.PrintStream;
import java.util.Arrays;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs tests in a JVM of their own: one that checks JNI calls, one with AddressSanitizer, one in a
 * virtual machine. Arguments are packages or classes. It ends with 0 when all is well, 1 when a
 * test failed, 3 when none was carried out.
 */
public final class TestRunner implements TestExecutionListener {

  private final PrintStream out = System.out;
  private int passed;
  private int failed;
  private int skipped;

  private TestRunner() {}

  /** Runs what the arguments name. */
  public static void main(String[] arguments) {
    boolean noneSkipped = arguments[0].equals("--none-skipped");
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(
                Arrays.stream(arguments)
                    .skip(noneSkipped ? 1 : 0)
                    .map(TestRunner::selector)
                    .toList())
            .filters(ClassNameFilter.includeClassNamePatterns(".*Test"))
            .build();
    TestRunner runner = new TestRunner();
    LauncherFactory.create().execute(request, runner);
    runner.out.printf(
        "%d tests passed, %d failed, %d SKIPPED%n", runner.passed, runner.failed, runner.skipped);
    runner.out.flush();
    boolean bad = runner.failed > 0 || (noneSkipped && runner.skipped > 0);
    System.exit(bad ? 1 : runner.passed == 0 ? 3 : 0);
  }

  private static DiscoverySelector selector(String name) {
    boolean isClass = Character.isUpperCase(name.charAt(name.lastIndexOf('.') + 1));
    return isClass ? selectClass(name) : selectPackage(name);
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    skipped++;
    out.println("SKIPPED " + test.getDisplayName() + ": " + reason);
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    switch (result.getStatus()) {
      case SUCCESSFUL -> passed += test.isTest() ? 1 : 0;
      case ABORTED -> {
        skipped++;
        out.println(
            "SKIPPED "
                + name(test)
                + ": "
                + result.getThrowable().map(Throwable::getMessage).orElse(""));
      }
      case FAILED -> {
        failed++;
        out.println("FAILED " + name(test));
        result.getThrowable().ifPresent(it -> it.printStackTrace(out));
      }
    }
  }

  private static String name(TestIdentifier test) {
    return test.getLegacyReportingName() + " (" + test.getUniqueId() + ")";
  }
}
