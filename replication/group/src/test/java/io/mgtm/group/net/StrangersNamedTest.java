package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jgroups.util.ExtendedUUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StrangersNamedTest {
  @TempDir Path folder;
  private final AtomicLong nowMs = new AtomicLong();
  private final Strangers others = strangers("");
  private final ExtendedUUID other =
      MemberAddress.of("g2", new InetSocketAddress(InetAddress.getLoopbackAddress(), 2));

  private Strangers strangers(String secret) {
    return new Strangers("g1", "mgtm-fifo", secret, nowMs::get);
  }

  private String secret(String letter) throws IOException {
    return GroupSecret.read(Files.writeString(folder.resolve(letter), letter.repeat(40)))
        .fingerprint();
  }

  private Hello hello(String secret) {
    return new Hello(other, "mgtm-fifo", Optional.of(secret));
  }

  @Test
  void anotherModeIsNamed() {
    assertThat(others.isStranger(new Hello(other, "mgtm-causal"))).isTrue();
    assertThat(others.sentences())
        .containsExactly(
            "g2 runs in mode causal and this member in mode fifo, so they do not hear each other; start all with the same --mode");
  }

  @Test
  void anotherGroupIsNamed() {
    assertThat(others.isStranger(new Hello(other, "prod-fifo"))).isTrue();
    assertThat(others.sentences()).singleElement().asString().contains("of the group prod-fifo");
  }

  @Test
  void silentStrangerIsForgotten() {
    assertThat(others.isStranger(new Hello(other, "mgtm-lazy"))).isTrue();
    nowMs.set(60_000);
    assertThat(others.sentences()).isEmpty();
  }

  @Test
  void secretOfOneAloneIsNamed() throws IOException {
    assertThat(others.isStranger(hello(secret("a")))).isTrue();
    assertThat(others.sentences())
        .containsExactly(
            "g2 has a group.secretFile, and this member has none; set it on all members, or on none");
    Strangers secretive = strangers(secret("a"));
    assertThat(secretive.isStranger(new Hello(other, "mgtm-fifo"))).isTrue();
    assertThat(secretive.sentences())
        .containsExactly(
            "g2 has no group.secretFile, and this member has one; set it on all members, or on none");
  }

  @Test
  void anotherSecretIsNamed() throws IOException {
    Strangers secretive = strangers(secret("a"));
    assertThat(secretive.isStranger(hello(secret("b")))).isTrue();
    assertThat(secretive.sentences())
        .containsExactly(
            "g2 has another secret in group.secretFile than this member; give all members the same file");
  }

  @Test
  void whoHasTheSameSecretOrDoesNotTellIsNone() throws IOException {
    Strangers secretive = strangers(secret("a"));
    assertThat(secretive.isStranger(hello(secret("a")))).isFalse();
    assertThat(secretive.isStranger(new Hello(other, "mgtm-fifo", Optional.empty()))).isFalse();
    assertThat(secretive.sentences()).isEmpty();
  }
}
