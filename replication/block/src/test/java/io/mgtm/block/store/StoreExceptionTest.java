package io.mgtm.block.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class StoreExceptionTest {
  @Test
  void aFullDiskIsToldApart() {
    StoreException full =
        StoreException.of("write", 5, 6, new IOException("No space left on device"));
    assertThat(full.errno()).isEqualTo(StoreException.ENOSPC);
    assertThat(full).hasMessage("write of 6 bytes at offset 5 failed: No space left on device");
  }
}
