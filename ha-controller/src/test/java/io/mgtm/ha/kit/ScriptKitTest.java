package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.ha.watchdog.GuardSteps;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScriptKitTest {
  @TempDir Path folder;
  private final ScriptKit kit = new ScriptKit();
  private final Map<String, String> parameters = new HashMap<>();
  private Rig rig;
  private Path state;

  @BeforeEach
  void write() throws Exception {
    rig = new Rig(folder);
    state = folder.resolve("state");
    parameters.put("start", "echo \"$MGTM_HIERARCHY/$MGTM_RESOURCE $MGTM_ACTION\" >" + state);
    parameters.put("stop", "rm -f " + state);
    parameters.put("status", "test -f %s || exit 3; grep -q start %s".formatted(state, state));
  }

  @AfterEach
  void end() {
    Rig.removeGroup(context());
  }

  private KitContext context() {
    return rig.context("app", parameters);
  }

  @Test
  void commandsAreRunAndTheirStatusIsUnderstood() throws Exception {
    Rig.assertOut(kit.quickCheck(context()));
    kit.inService(context());
    assertThat(state).hasContent("db/app start");
    Rig.assertIn(kit.quickCheck(context()));
    Files.writeString(state, "broken");
    Rig.assertFailed(kit.quickCheck(context()));
    kit.localRecover(context());
    Rig.assertIn(kit.deepCheck(context()));
    kit.outOfService(context());
    Rig.assertOut(kit.quickCheck(context()));
  }

  @Test
  void aStopThatStopsNothingIsNotBelieved() throws Exception {
    kit.inService(context());
    parameters.put("stop", "exit 0");
    assertThatThrownBy(() -> kit.outOfService(context()))
        .hasMessage("stop ended with 0, and status says that it is in service still");
    Rig.assertIn(kit.quickCheck(context()));
  }

  @Test
  void ownCheckAndRecoveryAreUsed() throws Exception {
    parameters.put("check", "echo bad; exit 9");
    parameters.put("recover", "echo start recovered >" + state);
    kit.inService(context());

    Rig.assertIn(kit.quickCheck(context()));
    Kit.Health deep = kit.deepCheck(context());
    Rig.assertFailed(deep);
    assertThat(deep.detail()).isEqualTo("status 9: bad");
    kit.localRecover(context());
    assertThat(state).hasContent("start recovered");
  }

  @Test
  void failureSaysWhatTheCommandSaid() {
    parameters.put("start", "echo no licence >&2; exit 4");

    assertThatThrownBy(() -> kit.inService(context()))
        .isInstanceOf(KitException.class)
        .hasMessageEndingWith("ended with status 4: no licence");
  }

  @Test
  void commandThatNeverEndsFailsTheCall() {
    parameters.put("status", "sleep 1000");

    assertThatThrownBy(() -> kit.quickCheck(rig.context("app", 300, parameters)))
        .isInstanceOf(KitException.class)
        .hasMessageContaining("was killed");
  }

  @Test
  void guardIsThePidFileAndTheCommandOrElseStop() {
    assertThat(ends(kit.guard(context()))).containsExactly(command("stop"));
    parameters.put("pidFile", "/run/app.pid");
    parameters.put("guard", "end-app");
    assertThat(ends(kit.guard(context())))
        .containsExactly(new GuardStep.KillPidFile("/run/app.pid"), command("guard"));
  }

  /** With the user's own group, which is another name on Debian. */
  @Test
  void guardAndStopRunAsTheUser() throws Exception {
    Rig.need("setpriv");
    parameters.put("user", "nobody");
    parameters.put("stop", "[ $(id -un) = nobody ] && [ $(id -g) = $(id -g nobody) ]");
    assertThat(GuardSteps.isDone(ends(kit.guard(context())).get(0))).isTrue();
    kit.outOfService(context());
    parameters.put("stop", "false");
    assertThatThrownBy(() -> kit.outOfService(context()))
        .hasMessageContaining("as nobody: /bin/sh -c false");
  }

  /** All but what is done where control groups are. */
  private static List<GuardStep> ends(List<GuardStep> steps) {
    return steps.stream().filter(step -> !(step instanceof GuardStep.KillCgroup)).toList();
  }

  /** A command that finds what the kit's own find. */
  private GuardStep command(String what) {
    KitContext context = context();
    return new GuardStep.Run(
        List.of(
            "/usr/bin/env",
            "MGTM_HIERARCHY=" + context.hierarchy(),
            "MGTM_RESOURCE=" + context.resource(),
            "MGTM_NODE=" + context.node(),
            "MGTM_RUNTIME=" + context.runtime(),
            "MGTM_ACTION=" + what,
            "/bin/sh",
            "-c",
            parameters.get(what)),
        1_000);
  }
}
