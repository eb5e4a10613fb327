package io.mgtm.gtm.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.gtm.command.Names;
import io.mgtm.gtm.command.SequenceCommand.Restore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files that a Postgres-XC 1.2.1 GTM wrote: {@code stopped.control} when it was stopped in order,
 * {@code killed.control} before it was killed, {@code cyrillic.control} with a name whose end it
 * loses.
 */
class ControlFileTest {
  private static final long MAX = 9_223_372_036_854_775_806L;
  private static final Path FILES = Path.of("src/test/resources/control");

  @TempDir private Path scratch;

  private static String key(String name) {
    return new String(name.getBytes(StandardCharsets.UTF_8), Names.BYTES) + '\0';
  }

  @Test
  void aStoppedGtmSaysWhereItStands() throws ControlFileException {
    ControlFile file = ControlFile.read(FILES.resolve("stopped.control"));
    assertThat(file.nextGxid()).isEqualTo(10_001);
    assertThat(file.sequences())
        .containsExactlyInAnyOrder(
            new Restore(key("db.public.set"), 1, 1, MAX, 1, 500, false, true),
            new Restore(key("db.public.setnot"), 1, 1, MAX, 700, 700, false, false),
            new Restore(key("db.public.orders_id_seq"), 1, 1, MAX, 1, 17, false, true),
            new Restore(key("db.public.down"), -3, -1000, -1, -1, -10, false, true),
            new Restore(key("db.public.round"), 1, 1, 3, 1, 2, true, true),
            new Restore(key("db.public.used up"), 1, 1, 3, 1, 3, false, true),
            new Restore(key("db.public.untouched"), 1, 5, MAX, 100, 100, false, false),
            new Restore(key("db.Größe.back\\slash tab\tü"), 1, 1, MAX, 1, 2, false, true));
  }

  @Test
  void aKilledGtmHasWrittenAhead() throws ControlFileException {
    ControlFile file = ControlFile.read(FILES.resolve("killed.control"));
    assertThat(file.nextGxid()).isEqualTo(12_004);
    assertThat(file.sequences())
        .contains(new Restore(key("db.public.orders_id_seq"), 1, 1, MAX, 1, 2_017, false, true));
  }

  @Test
  void aNameThatTheOriginalCutIsRefused() {
    assertThatThrownBy(() -> ControlFile.read(FILES.resolve("cyrillic.control")))
        .isInstanceOf(ControlFileException.class)
        .hasMessageContaining("sequence 9 (\"db.public.русс\") has lost the end of its name");
  }

  @Test
  void separatorsWithinANameAreTakenAsTheOriginalWritesThem() throws ControlFileException {
    // 0xd9 + '0' is a tab, 0xda + '0' a newline.
    String text =
        "5\nd.s.\\0\t\\0\n\\00\t1\t1\t1\t1\t9\tf\tt\t1\nd.s.b\\00\t2\t1\t1\t1\t9\tf\tt\t1\n";
    assertThat(ControlFile.parse("f", text).sequences())
        .extracting(Restore::key)
        .containsExactly("d.s.\u00d9\u00da\0", "d.s.b\0");
  }

  @Test
  void aFileWithoutSequencesIsWhole() throws ControlFileException {
    assertThat(ControlFile.parse("f", "4294967295\n").nextGxid()).isEqualTo(4_294_967_295L);
    assertThat(ControlFile.parse("f", "10000").sequences()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x\n",
        "4294967296\n",
        "5 6\n",
        "5\nd.s.a\\00\t1\t1\t1\t1\t9\tf\tt\t1",
        "5\nd.s.a\\00\t1\t1\t1\t1\t9\tf\n",
        "5\nd.s.a\\00\t1\t1\t1\t1\t9\tf\tx\t1\n",
        "5\nd.s.a\t1\t1\t1\t1\t9\tf\tt\t1\n",
        "5\nd.s.\\x\\00\t1\t1\t1\t1\t9\tf\tt\t1\n",
        "5\nd.s.\\00b\\00\t1\t1\t1\t1\t9\tf\tt\t1\n",
        "5\nd.s.a\\00\t1\t1\t1\t1\t9999999999999999999\tf\tt\t1\n",
      })
  void whatIsNotWholeIsRefused(String text) {
    assertThatThrownBy(() -> ControlFile.parse("the file", text))
        .isInstanceOf(ControlFileException.class)
        .hasMessageStartingWith("the file: ");
  }

  @Test
  void everyCutOfAFileIsRefusedOrEndsBetweenSequences() throws ControlFileException {
    String whole = "77\nd.s.a\\00\t1\t1\t1\t1\t9\tf\tt\t1\nd.s.b\\00\t2\t1\t1\t1\t9\tf\tt\t1\n";
    for (int length = 3; length < whole.length(); length++) {
      String cut = whole.substring(0, length);
      if (cut.endsWith("\n")) {
        ControlFile.parse("f", cut);
      } else {
        assertThatThrownBy(() -> ControlFile.parse("f", cut))
            .isInstanceOf(ControlFileException.class);
      }
    }
  }

  @Test
  void aFileThatIsNotThereIsRefused() {
    assertThatThrownBy(() -> ControlFile.read(scratch.resolve("none")))
        .isInstanceOf(ControlFileException.class)
        .hasMessageStartingWith("cannot read ")
        .hasMessageEndingWith(": there is no such file or folder");
  }
}
