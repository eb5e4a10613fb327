package io.mgtm.ha.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.ha.model.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenFileTest {
  /** As {@code printf %s secret | sha256sum} says. */
  private static final String HASH =
      "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

  @TempDir private Path folder;

  private Path file(String mode, String text) throws IOException {
    Path file = Files.writeString(folder.resolve("tokens"), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    return file;
  }

  @Test
  void aTokenIsKnownByItsHash() throws IOException {
    TokenFile tokens = TokenFile.open(file("rw-------", "# ours\n\nanna operator " + HASH + "\n"));

    assertThat(tokens.of("secret"))
        .hasValueSatisfying(
            anna -> {
              assertThat(anna.name()).isEqualTo("anna");
              assertThat(anna.role()).isEqualTo(Role.OPERATOR);
            });
    assertThat(tokens.of("Secret")).isEmpty();
    assertThat(tokens.of("")).isEmpty();
    assertThat(tokens.of(HASH)).isEmpty();
  }

  @Test
  void aLineThatIsRemovedCountsAtOnce() throws IOException {
    Path file = file("rw-------", "anna guest " + HASH + "\n");
    TokenFile tokens = TokenFile.open(file);
    assertThat(tokens.of("secret")).isPresent();

    Files.writeString(file, "");

    assertThat(tokens.of("secret")).isEmpty();
  }

  @Test
  void aFileThatOthersCanReadIsRefused() throws IOException {
    Path file = file("rw-r-----", "anna guest " + HASH + "\n");

    assertThatThrownBy(() -> TokenFile.open(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("chmod 600 " + file);
  }

  @Test
  void aFileThatIsMissingIsSaidSo() {
    assertThatThrownBy(() -> TokenFile.open(folder.resolve("none")))
        .hasMessageContaining("cannot read access.tokenFile")
        .hasMessageContaining("there is no such file");
  }

  @ParameterizedTest
  @CsvSource({
    "anna operator, line 1: expected a name",
    "anna root HASH, root is no role",
    "a/b guest HASH, line 1: expected a name",
    "'anna guest HASH\nanna operator HASH', line 2: a second line for anna"
  })
  void aWrongLineIsNamed(String text, String message) throws IOException {
    Path file = file("rw-------", text.replace("HASH", HASH) + "\n");

    assertThatThrownBy(() -> TokenFile.open(file)).hasMessageContaining(message);
  }
}
