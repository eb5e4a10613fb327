package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a configuration may say of kits. */
class KitsTest {
  private static Optional<String> problem(String kit, Map<String, String> given) {
    return Kits.problem(kit, given).map(p -> p.parameter() + ": " + p.sentence());
  }

  @Test
  void unknownKitIsToldWithTheNearest() {
    assertThat(problem("postgresq", Map.of()).orElseThrow())
        .startsWith(": unknown kit \"postgresq\", did you mean \"postgresql\"?");
    assertThat(problem("something-else", Map.of()).orElseThrow())
        .startsWith(": unknown kit \"something-else\"; known are ")
        .endsWith("ocf:PROVIDER:AGENT");
  }

  @Test
  void unknownParameterIsToldWithTheNearest() {
    assertThat(problem("ip", Map.of("adress", "a", "device", "eth0")).orElseThrow())
        .startsWith("adress: unknown parameter \"adress\", did you mean \"address\"?");
  }

  @Test
  void whatMustBeGivenIsMissed() {
    assertThat(problem("ip", Map.of("device", "eth0")))
        .contains("address: is missing: the address and its prefix, such as 10.0.0.5/24");
    assertThat(problem("postgresql", Map.of("data", " ")).orElseThrow()).startsWith("data: ");
  }

  @Test
  void rightParametersAreNoProblem() {
    assertThat(problem("ip", Map.of("address", "10.0.0.5/24", "device", "eth0"))).isEmpty();
  }

  @Test
  void everyKitMayBeToldItsPace() {
    assertThat(problem("postgresql", Map.of("data", "/d", "quickCheckMs", "500"))).isEmpty();
    assertThat(problem("postgresql", Map.of("data", "/d", "startMs", "soon")))
        .contains("startMs: expected milliseconds, not \"soon\"");
  }

  static List<Kit> kits() throws KitException {
    return Kits.names().stream().map(KitsTest::kit).toList();
  }

  private static Kit kit(String name) {
    try {
      return Kits.of(name);
    } catch (KitException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @MethodSource("kits")
  void parametersThatMustBeGivenComeFirstAndHaveNoDefault(Kit kit) {
    List<Boolean> required = kit.parameters().stream().map(Kit.Parameter::required).toList();

    assertThat(required.lastIndexOf(true)).isLessThan(Math.max(required.indexOf(false), 1));
    assertThat(kit.parameters())
        .allSatisfy(one -> assertThat(one.meaning()).isNotBlank())
        .allSatisfy(one -> assertThat(one.required() && !one.defaultValue().isEmpty()).isFalse())
        .doesNotHaveDuplicates();
  }

  @Test
  void guardStepsAreReadAsTheyAreWritten() throws Exception {
    ObjectMapper json = new ObjectMapper();
    List<GuardStep> steps =
        List.of(
            new GuardStep.KillPidFile("/run/a"),
            new GuardStep.KillCgroup("/sys/fs/cgroup/a"),
            new GuardStep.KillWorkingIn("/data", "postgres"),
            new GuardStep.Run(List.of("ip", "x"), 500));
    for (GuardStep step : steps) {
      assertThat(json.readValue(json.writeValueAsString(step), GuardStep.class)).isEqualTo(step);
    }
  }

  @Test
  void argumentsAreSplitAsAShellDoes() {
    assertThat(Words.of(" -c 'a b'  --x=\"c d\" e\\f "))
        .containsExactly("-c", "a b", "--x=c d", "e\\f");
    assertThat(Words.of("")).isEmpty();
  }
}
