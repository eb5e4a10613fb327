package io.mgtm.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.flash.BufferPool;
import io.mgtm.jni.Availability;
import io.mgtm.jni.Errno;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class RdmaAvailabilityTest {

  @Test
  void saysWhatIsMissing() {
    Availability answer = Rdma.available();
    assertThat(answer.usable() || !answer.reason().isBlank()).isTrue();
  }

  @Test
  void anAddressWithoutADeviceIsAnError() {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    assertThatThrownBy(() -> RdmaDomain.open(loopback))
        .satisfiesAnyOf(
            e ->
                assertThat(e)
                    .isInstanceOfSatisfying(
                        RdmaException.class,
                        it -> assertThat(it.errno()).isIn(Errno.ENODEV, Errno.ENOENT)),
            e -> assertThat(e).isInstanceOf(UnsupportedOperationException.class));
  }

  @Test
  void sizesOutOfRangeAreRefused() {
    assertThatThrownBy(() -> new RdmaOptions(0, 1, List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new RdmaOptions(1, 4097, List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new RdmaOptions(1, 1, List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> BufferPool.of(1, 1000)).isInstanceOf(IllegalArgumentException.class);
  }
}
