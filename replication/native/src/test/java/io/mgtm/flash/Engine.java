package io.mgtm.flash;

import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** An engine and a way of I/O that the contract is tested with. */
record Engine(FlashEngine engine, DirectIo direct) {

  static List<Engine> all() {
    return List.of(
        new Engine(FlashEngine.FILE_CHANNEL, DirectIo.OFF),
        new Engine(FlashEngine.FILE_CHANNEL, DirectIo.AUTO),
        new Engine(FlashEngine.IO_URING, DirectIo.OFF),
        new Engine(FlashEngine.IO_URING, DirectIo.AUTO));
  }

  /** Skips the test, saying why, where the engine does not work. */
  FlashOptions options() {
    if (engine == FlashEngine.IO_URING) {
      Assumptions.assumeTrue(Flash.available().usable(), "io_uring: " + Flash.available().reason());
    }
    return FlashOptions.readWrite().withEngine(engine).withDirect(direct);
  }
}
