package io.mgtm.block.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A resync from a store that answers from within the call, as the page cache does. */
class LinkSyncTest {
  private static final int CHUNKS = 2048;
  private static final int WINDOW_CHUNKS = 1024;

  private VolumeCore core;
  private int sent;
  private int nested;
  private int deepest;

  private VolumeEffects effects() {
    return (VolumeEffects)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {VolumeEffects.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "extentAt" -> arguments[1];
                  case "persistState" -> {
                    core.statePersisted(true);
                    yield null;
                  }
                  case "readLocal" -> {
                    deepest = Math.max(deepest, ++nested);
                    core.chunkRead((Change) arguments[0], new Object(), false, null, Errno.OK);
                    nested--;
                    yield null;
                  }
                  case "sendChunk" -> {
                    sent++;
                    yield null;
                  }
                  default -> method.getReturnType() == long.class ? 1L : null;
                });
  }

  @Test
  void theStackDoesNotGrowWithTheWindow() {
    VolumeState state =
        VolumeState.fresh("v", "a", CHUNKS, 1, Role.PRIMARY, Generations.NONE.with(1));
    core = new VolumeCore(state, Map.of(), CoreTiming.DEFAULT, effects());
    core.addLink(
        new LinkConfig(
            "h:1", LinkMode.SYNC, 2, 1, false, false, WINDOW_CHUNKS, 1, Long.MAX_VALUE / 2));
    core.tick(1);
    Identity target =
        new Identity(
            "v", "b", CHUNKS, 1, Role.SECONDARY, Generations.NONE, true, false, false, "", "");
    assertThat(core.linkMet(0, target, IntStream.empty().iterator()).accepted()).isTrue();
    core.tick(1_000);
    assertThat(sent).as("a full window").isEqualTo(WINDOW_CHUNKS);
    assertThat(deepest).as("reads within reads").isEqualTo(1);
  }
}
