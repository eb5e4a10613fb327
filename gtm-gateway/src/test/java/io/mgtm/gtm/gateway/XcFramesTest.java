package io.mgtm.gtm.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class XcFramesTest {
  private static final int READ_BYTES = 64 * 1024;

  private final List<String> seen = new ArrayList<>();
  private boolean takes = true;
  private int keptMost;

  private final XcFrames frames =
      new XcFrames(
          new XcFrames.Taker() {
            @Override
            public boolean takes(byte type, ByteBuf head, long bytes) {
              seen.add("asks " + (char) type + head.getShortLE(9) + " " + bytes);
              return takes;
            }

            @Override
            public void frame(byte type, ByteBuf frame) {
              seen.add((char) type + " " + frame.readableBytes());
            }
          });

  @AfterEach
  void release() {
    frames.release();
  }

  private static byte[] frame(int bytes) {
    return RequestFrame.of('S').be32(33).le16(7).raw(new byte[bytes - 11]).bytes();
  }

  private void read(byte[] bytes, int pieceBytes) throws WireException {
    for (int at = 0; at < bytes.length; at += pieceBytes) {
      frames.read(Unpooled.wrappedBuffer(bytes, at, Math.min(pieceBytes, bytes.length - at)));
      keptMost = Math.max(keptMost, frames.keptBytes());
    }
  }

  @Test
  void readsByteByByte() throws Exception {
    read(RequestFrame.concat(frame(11), frame(XcFrames.SHORT_BYTES + 1), frame(12)), 1);
    assertThat(seen).containsExactly("S 11", "asks S7 65537", "S 65537", "S 12");
    assertThat(frames.keptBytes()).isZero();
    assertThat(frames.comingBytes()).isZero();
  }

  @Test
  void whatIsNotTakenIsDroppedAsItComes() throws Exception {
    takes = false;
    byte[] all = RequestFrame.concat(frame(11), frame(50_000_000), frame(12), frame(100_000));
    read(all, READ_BYTES);
    read(frame(13), 1);
    assertThat(seen).containsExactly("S 11", "asks S7 50000000", "S 12", "asks S7 100000", "S 13");
    assertThat(keptMost).isLessThan(READ_BYTES);
    read(frame(100_000), 1);
    assertThat(frames.keptBytes()).isZero();
  }

  @Test
  void tellsWhatIsComing() throws Exception {
    byte[] bytes = frame(1_000_000);
    frames.read(Unpooled.wrappedBuffer(bytes, 0, 500_000));
    assertThat(frames.comingBytes()).isEqualTo(1_000_000);
    assertThat(frames.keptBytes()).isEqualTo(500_000);
    frames.read(Unpooled.wrappedBuffer(bytes, 500_000, 500_000));
    assertThat(frames.comingBytes()).isZero();
    assertThat(seen).containsExactly("asks S7 1000000", "S 1000000");
  }

  @Test
  void aLengthThatCannotBeBreaksTheProtocol() {
    for (int length : new int[] {3, -1, Integer.MIN_VALUE}) {
      assertThatThrownBy(() -> read(RequestFrame.of('S').bytes(length), 5))
          .isInstanceOf(WireException.class)
          .hasMessage("a frame of " + (1L + length) + " bytes");
      frames.release();
    }
  }
}
