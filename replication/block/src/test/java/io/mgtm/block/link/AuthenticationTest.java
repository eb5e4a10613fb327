package io.mgtm.block.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.block.wire.LinkKey;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class AuthenticationTest {
  private static byte[] nonce(int fill) {
    byte[] nonce = new byte[Authentication.NONCE_BYTES];
    Arrays.fill(nonce, (byte) fill);
    return nonce;
  }

  private static Authentication source(LinkKey key) {
    return new Authentication(key, true, nonce(1));
  }

  private static Authentication target(LinkKey key) {
    return new Authentication(key, false, nonce(2));
  }

  @Test
  void bothEndsOfOneKeyProveIt() throws Exception {
    LinkKey key = LinkKey.random();
    Authentication source = source(key);
    Authentication target = target(LinkKey.parse(key.toHex(), "a test"));
    byte[] challenge = target.take(source.begin());
    assertThat(target.isDone()).isFalse();
    byte[] proof = source.take(challenge);
    assertThat(source.isDone()).isTrue();
    assertThat(target.take(proof)).isNull();
    assertThat(target.isDone()).isTrue();
  }

  @Test
  void anotherKeyIsRefusedByEitherEnd() throws Exception {
    Authentication source = source(LinkKey.random());
    Authentication target = target(LinkKey.random());
    byte[] challenge = target.take(source.begin());
    assertThatThrownBy(() -> source.take(challenge)).hasMessageContaining("same link key");
    assertThatThrownBy(() -> target.take(new byte[LinkKey.PROOF_BYTES]))
        .hasMessageContaining("same link key");
    assertThat(source.isDone() || target.isDone()).isFalse();
  }

  @Test
  void anEndsOwnProofSentBackIsNone() throws Exception {
    LinkKey key = LinkKey.random();
    Authentication target = target(key);
    byte[] challenge = target.take(nonce(1));
    byte[] proof = Arrays.copyOfRange(challenge, Authentication.NONCE_BYTES, challenge.length);
    assertThatThrownBy(() -> target.take(proof)).isInstanceOf(LinkException.class);
  }

  @Test
  void aPeersTextForgesNoLineOfALog() {
    assertThat(PeerText.of("lost\n2026 INFO all is well\u001b[2J\u2028é"))
        .isEqualTo("lost?2026 INFO all is well?[2J?é");
    assertThat(PeerText.of("x".repeat(5000))).hasSize(PeerText.LENGTH_MAX + 1).endsWith("…");
  }
}
