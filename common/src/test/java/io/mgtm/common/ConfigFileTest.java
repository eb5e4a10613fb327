package io.mgtm.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of a file that is wrong: the file, the line, the key, and what is expected. */
class ConfigFileTest {
  record Links(Path secretFile, boolean tlsOnly) {}

  record Config(String name, int port, List<String> allow, Links links) {}

  private static final Config DEFAULTS = new Config("n", 1, List.of(), new Links(null, false));

  @TempDir private Path folder;

  private void isRefused(String text, String message) throws IOException {
    Path file = Files.writeString(folder.resolve("c.yaml"), text);
    assertThatThrownBy(() -> new ConfigFile("docs/x.md").read(file, DEFAULTS, Config.class))
        .isInstanceOf(ConfigException.class)
        .hasMessage(file + ": " + message);
  }

  @Test
  void whatIsExpectedIsSaidOfEachType() throws IOException {
    isRefused(
        "name: n\nlinks:\n  tlsOnly: maybe\n",
        "line 3: links.tlsOnly: \"maybe\" is not allowed, expected true or false");
    isRefused(
        "links: {tlsOnly: 'true'}",
        "line 1: links.tlsOnly: \"true\" is not allowed, expected true or false");
    isRefused("\nport: true\n", "line 2: port: true is not allowed, expected a whole number");
    isRefused(
        "allow: 10.0.0.0/8\n", "line 1: allow: \"10.0.0.0/8\" is not allowed, expected a list");
    isRefused("allow:\n  - {a: b}\n", "line 1: allow[0]: keys are not allowed, expected a text");
    isRefused("name: [a]\n", "line 1: name: a list is not allowed, expected a text");
    isRefused(
        "links: yes-please",
        "line 1: links: \"yes-please\" is not allowed, expected keys and values");
    isRefused("name:\nport: 2\n", "line 1: name has no value");
  }

  @Test
  void aKeyThatIsNotKnownIsNamedWithItsLine() throws IOException {
    isRefused(
        "name: n\nlinks:\n  tls: true\n",
        "line 3: unknown key links.tls, expected one of: secretFile, tlsOnly");
  }

  @Test
  void aKeyWithDotsIsToldHowItIsWritten() throws IOException {
    isRefused(
        "name: n\nlinks.secretFile: s\n",
        "line 2: links.secretFile is a key below another one: write \"links:\", and \"secretFile:\" in the next line, indented by two spaces");
  }

  @Test
  void aSecondDocumentIsRefused() throws IOException, ConfigException {
    isRefused(
        "name: n\n---\nport: 2\n",
        "line 3: a second YAML document begins here; a file has one: remove the line --- before it, or all that follows");
    Path one = Files.writeString(folder.resolve("one.yaml"), "# first\n---\nport: 2\n");
    assertThat(new ConfigFile("docs/x.md").read(one, DEFAULTS, Config.class).port()).isEqualTo(2);
  }

  @Test
  void whatIsNoYamlIsToldInOneLine() throws IOException {
    isRefused(
        "name: n\n\tport: 2\n",
        "line 2: while scanning for the next token, found character '\\t(TAB)' that cannot start any token. (Do not use \\t(TAB) for indentation)");
    isRefused(
        "links:\n  tlsOnly: true\n port: 3\n",
        "line 3: while parsing a block mapping, expected <block end>, but found '<block mapping start>'");
  }
}
