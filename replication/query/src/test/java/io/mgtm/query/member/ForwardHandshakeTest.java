package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.fleet.ForwardKey;
import io.mgtm.query.wire.ClientDecoder;
import io.mgtm.query.wire.StartupPacket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** A member that forwards a client says who it is, and proves it. */
class ForwardHandshakeTest {
  private static final byte[] CHALLENGE = ForwardKey.challenge();

  private final ForwardKey key = ForwardKey.draw();
  private final StartupPacket.Forward claim = claim("q1", "10.1.2.3");
  private final Promise<Channel> taken = ImmediateEventExecutor.INSTANCE.newPromise();
  private final EmbeddedChannel channel =
      new EmbeddedChannel(new ForwardHandshake(claim, key, taken));

  private static StartupPacket.Forward claim(String member, String client) {
    try {
      return new StartupPacket.Forward(member, InetAddress.getByName(client));
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  private StartupPacket sent() {
    EmbeddedChannel reader = new EmbeddedChannel(new ClientDecoder(1_000));
    reader.writeInbound(channel.<ByteBuf>readOutbound());
    return reader.readInbound();
  }

  private void hears(byte... bytes) {
    for (byte one : bytes) {
      channel.writeInbound(Unpooled.wrappedBuffer(new byte[] {one}));
    }
  }

  @Test
  void aConnectionIsTheClientsOnceTheProofWasTaken() {
    assertThat(sent()).isEqualTo(claim);
    hears(CHALLENGE);
    StartupPacket.Proof proof = (StartupPacket.Proof) sent();
    assertThat(key.isProof(proof.proof(), CHALLENGE, claim)).isTrue();
    assertThat(taken.isDone()).isFalse();
    hears(StartupPacket.TAKEN);
    assertThat(taken.getNow()).isSameAs(channel);
    hears((byte) 'x');
    assertThat(channel.<ByteBuf>readInbound().toString(StandardCharsets.US_ASCII)).isEqualTo("x");
  }

  @Test
  void whoDoesNotTakeItHasNothingOfTheClient() {
    hears(CHALLENGE);
    hears((byte) 'E');
    assertThat(channel.isOpen()).isFalse();
    assertThat(taken.cause()).hasMessageContaining("does not take the connection");
  }

  @Test
  void whoNoLongerWaitsLeavesNoConnection() {
    hears(CHALLENGE);
    taken.cancel(false);
    hears(StartupPacket.TAKEN);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aProofIsOfOneClaimOneChallengeAndOneKey() {
    String proof = key.proof(CHALLENGE, claim);
    assertThat(key.isProof(proof, ForwardKey.challenge(), claim)).isFalse();
    assertThat(key.isProof(proof, CHALLENGE, claim("q2", "10.1.2.3"))).isFalse();
    assertThat(key.isProof(proof, CHALLENGE, claim("q1", "10.1.2.4"))).isFalse();
    assertThat(key.isProof(proof, CHALLENGE, new StartupPacket.Forward("q1", null))).isFalse();
    assertThat(ForwardKey.draw().isProof(proof, CHALLENGE, claim)).isFalse();
    assertThat(key.isProof("", CHALLENGE, claim)).isFalse();
    assertThat(key.toString()).doesNotContain(key.text());
  }
}
