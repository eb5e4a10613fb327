package io.mgtm.block.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlushMarkTest {
  private static final byte[] BOOT = bytes("a1b2c3d4-0000-1111-2222-333344445555");

  @TempDir Path folder;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private FlushMark open(byte[] boot) throws Exception {
    return FlushMark.open(folder.resolve("mark"), boot);
  }

  @Test
  void whatWasSetIsFoundInTheSameRunOfTheMachineOnly() throws Exception {
    FlushMark first = open(BOOT);
    assertThat(first.isSameBoot()).isFalse();
    assertThat(first.wasSet()).isFalse();
    assertThat(open(BOOT).isSameBoot()).isTrue();
    assertThat(open(BOOT).wasSet()).isFalse();
    first.set();
    assertThat(open(BOOT).wasSet()).isTrue();
    first.clear();
    assertThat(open(BOOT).wasSet()).isFalse();
    first.set();
    FlushMark afterReboot = open(bytes("another"));
    assertThat(afterReboot.isSameBoot()).isFalse();
    assertThat(afterReboot.wasSet()).isFalse();
    assertThat(open(bytes("another")).wasSet()).isFalse();
  }

  @Test
  void whereTheSystemDoesNotTellItsRunItCountsAsOne() throws Exception {
    open(new byte[0]).set();
    assertThat(open(new byte[0]).wasSet()).isTrue();
  }

  @Test
  void aDamagedMarkCountsAsSetAndIsMadeAnew() throws Exception {
    open(BOOT);
    Path file = folder.resolve("mark");
    Files.write(file, new byte[] {'F', 'x'});
    assertThat(open(BOOT).wasSet()).isTrue();
    assertThat(Files.size(file)).isEqualTo(64);
    assertThat(open(BOOT).wasSet()).isFalse();
  }
}
