package io.mgtm.bench.scenario;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.util.Arrays;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs scenarios by name, in a process of its own; ends with 0 when all ran and passed. */
final class RunScenarios {
  private RunScenarios() {}

  /** Its arguments are names of {@link ScenariosIT}. */
  public static void main(String[] names) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(
                Arrays.stream(names).map(name -> selectMethod(ScenariosIT.class, name)).toList())
            .build();
    LauncherFactory.create().execute(request, listener);
    TestExecutionSummary summary = listener.getSummary();
    summary
        .getFailures()
        .forEach(
            failure -> {
              System.out.println("FAILED " + failure.getTestIdentifier().getDisplayName());
              failure.getException().printStackTrace(System.out);
            });
    System.out.flush();
    System.exit(summary.getTestsSucceededCount() == names.length ? 0 : 1);
  }
}
