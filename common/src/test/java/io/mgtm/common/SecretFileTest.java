package io.mgtm.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretFileTest {
  private static final String KEY = "links.secretFile";

  @TempDir private Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("secret"), text);
  }

  @Test
  void firstLineIsTheSecret() throws Exception {
    assertThat(SecretFile.ofLinks(KEY, file(" 0123456789abcdef \nmore\n")))
        .isEqualTo("0123456789abcdef");
    assertThat(SecretFile.firstLine(KEY, file("short"))).isEqualTo("short");
  }

  @Test
  void secretThatCanBeGuessedIsRefused() throws Exception {
    Path file = file("0123456789abcde\n");
    assertThatThrownBy(() -> SecretFile.ofLinks(KEY, file))
        .hasMessage(
            "links.secretFile %s: 15 characters are not allowed, expected 16 and more; draw a secret with openssl rand -hex 32"
                .formatted(file));
  }

  @Test
  void secondLineIsOneThatIsAcceptedToo() throws Exception {
    assertThat(SecretFile.accepted(KEY, file("0123456789abcdef\n")))
        .containsExactly("0123456789abcdef");
    assertThat(SecretFile.accepted(KEY, file("0123456789abcdef\n fedcba9876543210 \n\n")))
        .containsExactly("0123456789abcdef", "fedcba9876543210");
  }

  @Test
  void secondLineThatCanBeGuessedIsRefused() throws Exception {
    Path file = file("0123456789abcdef\nfedcba987654321\n");
    assertThatThrownBy(() -> SecretFile.accepted(KEY, file))
        .hasMessage(
            "links.secretFile %s, line 2: 15 characters are not allowed, expected 16 and more; draw a secret with openssl rand -hex 32"
                .formatted(file));
  }

  @Test
  void thirdLineIsRefused() throws Exception {
    Path file = file("0123456789abcdef\nfedcba9876543210\n\n0123456789fedcba\n");
    assertThatThrownBy(() -> SecretFile.accepted(KEY, file))
        .hasMessage(
            "links.secretFile %s has more than two lines; the first is the secret, and the second one that is accepted too"
                .formatted(file));
  }

  @Test
  void fileThatIsMissingOrIsNoneIsNamed() throws Exception {
    Path missing = folder.resolve("none");
    assertThatThrownBy(() -> SecretFile.ofLinks(KEY, missing))
        .hasMessage(
            "cannot read links.secretFile " + missing + ": there is no such file or folder");
    assertThatThrownBy(() -> SecretFile.ofLinks(KEY, folder))
        .hasMessageEndingWith("it is a folder");
    Path empty = file("\n");
    assertThatThrownBy(() -> SecretFile.ofLinks(KEY, empty))
        .hasMessageContaining("empty first line");
  }
}
