package io.mgtm.gtm.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PartialBufferTest {
  private final PartialBuffer partial = new PartialBuffer();

  @AfterEach
  void release() {
    partial.release();
  }

  /** Reads so many bytes and decodes some; the answer is whether a frame begins. */
  private boolean read(int bytes, int decoded) {
    ByteBuf joined = partial.join(Unpooled.wrappedBuffer(new byte[bytes]));
    joined.skipBytes(decoded);
    return partial.keepRest(joined);
  }

  @Test
  void nothingIsKeptOfWhatIsDecodedWhole() {
    assertThat(read(10, 10)).isFalse();
    assertThat(partial.kept()).isNull();
  }

  @Test
  void aFrameBeginsOnceHoweverManyReadsItTakes() {
    assertThat(read(3, 0)).isTrue();
    assertThat(read(3, 0)).isFalse();
    assertThat(read(3, 0)).isFalse();
    assertThat(partial.kept().readableBytes()).isEqualTo(9);
  }

  @Test
  void aFrameBeginsBehindOneThatIsDecoded() {
    assertThat(read(10, 7)).isTrue();
    assertThat(read(10, 8)).isTrue();
    assertThat(partial.kept().readableBytes()).isEqualTo(5);
    assertThat(read(0, 0)).isFalse();
    assertThat(read(2, 7)).isFalse();
    assertThat(partial.kept()).isNull();
    assertThat(read(1, 0)).as("what comes next begins anew").isTrue();
  }

  @Test
  void whatIsKeptMayBeDecodedWithoutAnotherRead() {
    assertThat(read(10, 0)).isTrue();
    ByteBuf kept = partial.kept();
    assertThat(partial.keepRest(kept)).as("nothing was decoded").isFalse();
    kept.skipBytes(4);
    assertThat(partial.keepRest(kept)).isTrue();
    assertThat(partial.keepRest(kept)).isFalse();
    assertThat(kept.readableBytes()).isEqualTo(6);
  }

  @Test
  void bytesThatWereDiscardedDoNotCount() {
    assertThat(read(10_000, 9_000)).isTrue();
    for (int i = 0; i < 100; i++) {
      assertThat(read(1_000, 1_000)).as("read %d", i).isTrue();
      assertThat(read(1, 0)).isFalse();
      assertThat(read(0, 1)).isTrue();
    }
  }
}
