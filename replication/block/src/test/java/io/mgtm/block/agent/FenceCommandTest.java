package io.mgtm.block.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.block.config.FenceConfig;
import io.mgtm.block.volume.FenceRequest;
import io.mgtm.block.volume.Generations;
import io.mgtm.block.volume.Role;
import io.mgtm.block.volume.VolumeState;
import io.mgtm.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as a process: how it ends, or does not. */
class FenceCommandTest {
  private static final VolumeState VOLUME =
      VolumeState.fresh("v1", "a", 1 << 20, 65_536, Role.PRIMARY, Generations.NONE.with(7));
  private static final FenceRequest REQUEST =
      new FenceRequest(0x2a, List.of("10.0.0.2:7800", "10.0.0.3:7800"), List.of("10.0.0.4:7800"));
  private static final long AMPLE_MS = 600_000;

  @TempDir Path folder;
  private final List<String> answers = new CopyOnWriteArrayList<>();
  private FenceCommand command;

  @AfterEach
  void close() {
    command.close();
  }

  private void ask(String script, long timeoutMs) {
    command =
        new FenceCommand(
            new FenceConfig("cd '" + folder + "'; " + script, timeoutMs),
            Runnable::run,
            (token, failure) -> answers.add(token + " " + failure));
    command.ask(VOLUME, REQUEST);
  }

  private String firstAnswer() {
    Await.until("it answers", () -> !answers.isEmpty());
    return answers.get(0);
  }

  private long written(String file) throws Exception {
    Path path = folder.resolve(file);
    Await.until(file + " is there", () -> Files.exists(path) && Files.size(path) > 0);
    return Long.parseLong(Files.readString(path).strip());
  }

  private static void awaitGone(long pid) {
    Await.until("process " + pid + " is gone", () -> ProcessHandle.of(pid).isEmpty());
  }

  @Test
  void itIsToldWhatIsLostAndAnswersByItsStatus() throws Exception {
    ask(
        "echo $MGTM_VOLUME,$MGTM_VOLUME_ID,$MGTM_GENERATION,$MGTM_LOST,$MGTM_IN_SYNC > told",
        AMPLE_MS);
    assertThat(firstAnswer()).isEqualTo("000000000000002a null");
    assertThat(Files.readString(folder.resolve("told")).strip())
        .isEqualTo("v1,,000000000000002a,10.0.0.2:7800,10.0.0.3:7800,10.0.0.4:7800");
  }

  @Test
  void itIsRunUntilItSucceeds() {
    ask(
        "[ -e twice ] && exit 0; [ -e once ] && touch twice; touch once; echo no quorum; exit 3",
        AMPLE_MS);
    Await.until("it answers", () -> answers.size() == 3);
    assertThat(answers.get(0)).endsWith("ended with status 3: no quorum");
    assertThat(answers.get(2)).endsWith(" null");
  }

  @Test
  void aCommandThatIsMissingSaysSo() {
    ask("exec /nowhere/fence", AMPLE_MS);
    assertThat(firstAnswer()).contains("ended with status 127", "/nowhere/fence");
  }

  @Test
  void oneThatHangsIsKilledWithWhatItBegan() throws Exception {
    ask("echo $$ > shell; sleep 100000 & echo $! > child; wait", 2_000);
    long shell = written("shell");
    long child = written("child");
    assertThat(firstAnswer()).contains("did not end within 2000 ms");
    awaitGone(shell);
    awaitGone(child);
  }

  @Test
  void whatItPrintsIsReadAndThrownAway() {
    ask("head -c 3000000 /dev/zero; yes | head -c 3000000; echo; echo the end; exit 1", AMPLE_MS);
    assertThat(firstAnswer()).endsWith("status 1: the end");
  }

  /** A process that it leaves behind holds its output open. */
  @Test
  void nobodyWaitsForWhatItLeavesBehind() throws Exception {
    ask("sleep 100000 & echo $! > child; exit 0", AMPLE_MS);
    assertThat(firstAnswer()).endsWith(" null");
    ProcessHandle.of(written("child")).ifPresent(ProcessHandle::destroyForcibly);
  }

  @Test
  void itIsKilledWhenNobodyWaitsAnyMore() throws Exception {
    ask("echo $$ > shell; exec sleep 100000", AMPLE_MS);
    long shell = written("shell");
    command.end();
    awaitGone(shell);
    command.ask(VOLUME, REQUEST);
    Await.until("the next one runs", () -> written("shell") != shell);
    command.end();
    awaitGone(written("shell"));
  }
}
