package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Optional;
import org.jgroups.util.ExtendedUUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HelloTest {
  private static final ExtendedUUID ID = new ExtendedUUID(1, 2);

  private static Hello sent(String name, String place, String cluster) {
    return sent(new Hello(MemberAddress.with(ID, name, place), cluster, Optional.of("f00d")));
  }

  private static Hello sent(Hello hello) {
    ByteBuf frame = hello.encode(ByteBufAllocator.DEFAULT);
    try {
      return Hello.decode(frame.skipBytes(Integer.BYTES));
    } finally {
      frame.release();
    }
  }

  @Test
  void itComesAsItWasSaid() {
    Hello hello = sent("märz", "127.0.0.1:9", "mgtm-fifo");
    assertThat(MemberAddress.nameOf(hello.from())).isEqualTo("märz");
    assertThat(MemberAddress.placeOf(hello.from())).isEqualTo("127.0.0.1:9");
    assertThat(hello.cluster()).isEqualTo("mgtm-fifo");
    assertThat(hello.secret()).hasValue("f00d");
  }

  @Test
  void anEarlierVersionTellsNothingOfItsSecret() {
    Hello hello = new Hello(MemberAddress.with(ID, "m1", "127.0.0.1:9"), "mgtm", Optional.empty());
    assertThat(sent(hello).secret()).isEmpty();
  }

  /** Operators read it in logs and in the status, before anybody has shown who it is. */
  @ParameterizedTest
  @CsvSource({
    "'m1\n2026-11-25 ERROR all is lost', 127.0.0.1:9, mgtm",
    "m1, '127.0.0.1:9\u001b[2J', mgtm",
    "m1, 127.0.0.1:9, 'mgtm\r'",
    "m1, 127.0.0.1:9, 'mgtm\u009b2J'"
  })
  void controlCharactersAreRefused(String name, String place, String cluster) {
    assertThatThrownBy(() -> sent(name, place, cluster))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("its first message has control characters");
  }
}
