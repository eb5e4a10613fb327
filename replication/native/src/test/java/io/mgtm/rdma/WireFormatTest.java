package io.mgtm.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WireFormatTest {

  private static final ChannelGreeting OPEN =
      new ChannelGreeting(
          64, 8192, Optional.of(new RemoteMemory(0x7f00_1234_5000L, 1 << 20, 0xcafe)));

  @Test
  void greetingsComeBackAsTheyWere() {
    ChannelGreeting shut = new ChannelGreeting(4000, 1, Optional.empty());
    assertThat(ChannelGreeting.decode(OPEN.encode())).isEqualTo(OPEN);
    assertThat(ChannelGreeting.decode(shut.encode())).isEqualTo(shut);
    assertThat(OPEN.encode().length).isEqualTo(33).isLessThan(PrivateData.BYTES_MAX);
  }

  @Test
  void aGreetingThatWasCutIsRefusedAtEveryLength() {
    byte[] whole = OPEN.encode();
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> ChannelGreeting.decode(cut))
          .as("%d bytes", length)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aGreetingOfAnotherKindVersionOrSizeIsRefused() {
    assertThatThrownBy(() -> ChannelGreeting.decode(changed(0, 0)))
        .hasMessageContaining("no channel");
    assertThatThrownBy(() -> ChannelGreeting.decode(changed(5, 9)))
        .hasMessageContaining("version 9");
    assertThatThrownBy(() -> ChannelGreeting.decode(changed(7, 3))).hasMessageContaining("window");
    assertThatThrownBy(() -> ChannelGreeting.decode(changed(8, -1))).hasMessageContaining("bytes");
    assertThatThrownBy(() -> ChannelGreeting.decode(changed(21, -1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void remoteMemoryKeepsWritesInside() {
    RemoteMemory memory = new RemoteMemory(1000, 100, 7);
    assertThat(memory.addressOf(99, 1)).isEqualTo(1099);
    assertThatThrownBy(() -> memory.addressOf(99, 2)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> memory.addressOf(-1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> memory.addressOf(Long.MAX_VALUE, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> RemoteMemory.decode(ByteBuffer.allocate(19)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static byte[] changed(int at, int value) {
    byte[] bytes = OPEN.encode();
    bytes[at] = (byte) value;
    return bytes;
  }
}
