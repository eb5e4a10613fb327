package io.mgtm.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllowListTest {
  private static boolean allows(String network, String address) {
    return new AllowList(List.of(network)).allows(new InetSocketAddress(address, 1));
  }

  @Test
  void allowsWhoComesFromAListedNetwork() {
    assertThat(allows("10.1.0.0/16", "10.1.255.1")).isTrue();
    assertThat(allows("10.1.0.0/16", "10.2.0.1")).isFalse();
    assertThat(allows("192.168.7.9", "192.168.7.9")).isTrue();
    assertThat(allows("192.168.7.9", "192.168.7.8")).isFalse();
    assertThat(allows("fd00::/8", "fd12::1")).isTrue();
    assertThat(allows("fd00::/8", "fe80::1")).isFalse();
    assertThat(allows("10.0.0.0/8", "fd12::1")).isFalse();
    assertThat(allows("0.0.0.0/0", "8.8.8.8")).isTrue();
  }

  @Test
  void anEmptyListAllowsEverybody() {
    assertThat(new AllowList(List.of()).allows(new InetSocketAddress("8.8.8.8", 1))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "10.0.0.0/33", "10.0.0/8", "host/8", "10.0.0.0/x", "fd00::/129"})
  void refusesWhatIsNoNetwork(String text) {
    assertThatThrownBy(() -> new AllowList(List.of(text)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"" + text + "\" is no network");
  }
}
