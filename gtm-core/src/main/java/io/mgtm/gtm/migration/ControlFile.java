package io.mgtm.gtm.migration;

import io.mgtm.common.FileErrors;
import io.mgtm.gtm.command.Names;
import io.mgtm.gtm.command.SequenceCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code gtm.control} of a Postgres-XC 1.2 GTM says (GTM_SaveTxnInfo in gtm_txn.c,
 * GTM_SaveSeqInfo in gtm_seq.c). Text: the next gxid on the first line, then a line for each
 * sequence, its fields separated by tabs:
 *
 * <pre>
 * 10042
 * db.public.s\00  value  start  increment  min  max  cycle  called  state
 * </pre>
 *
 * <p>A GTM that was stopped in order writes where it stands. One that runs, or that died, has
 * written values ahead of it, which are as good to go on from.
 *
 * @param nextGxid the first gxid that was never given, 32 bits, as a number from 0
 */
public record ControlFile(long nextGxid, List<SequenceCommand.Restore> sequences) {
  /** A file of a million sequences with long names is smaller. */
  private static final long BYTES_MAX = 256L * 1024 * 1024;

  private static final Pattern NEXT_GXID = Pattern.compile("\\s*([0-9]{1,10})(?:\\s*\\z|\\n)");

  /** The key may hold any byte: the original escapes some of those that separate fields. */
  private static final Pattern SEQUENCE =
      Pattern.compile(
          "\\G(.*?)\\t(-?\\d{1,19})\\t(-?\\d{1,19})\\t(-?\\d{1,19})\\t(-?\\d{1,19})"
              + "\\t(-?\\d{1,19})\\t([tf])\\t([tf])\\t([0-9a-f]{1,8})\\n",
          Pattern.DOTALL);

  private static final Pattern ESCAPE =
      Pattern.compile("\\\\(?:([\\\\nrt])|([0-3])(.?))?", Pattern.DOTALL);

  private static final String TERMINATOR = "\0";

  public ControlFile {
    sequences = List.copyOf(sequences);
  }

  /**
   * Reads a file.
   *
   * @throws ControlFileException when it cannot be read, or is not whole
   */
  public static ControlFile read(Path file) throws ControlFileException {
    try {
      if (Files.size(file) > BYTES_MAX) {
        throw new ControlFileException(
            file + " is larger than " + BYTES_MAX + " bytes; it is no gtm.control");
      }
      return parse(file.toString(), new String(Files.readAllBytes(file), Names.BYTES));
    } catch (IOException e) {
      throw new ControlFileException("cannot read " + file + ": " + FileErrors.reason(e), e);
    }
  }

  /**
   * Reads the text of a file.
   *
   * @param name the file's name, for errors
   * @param text its bytes as {@link Names#BYTES}
   */
  static ControlFile parse(String name, String text) throws ControlFileException {
    Matcher first = NEXT_GXID.matcher(text);
    if (!first.lookingAt() || Long.parseLong(first.group(1)) > 0xffff_ffffL) {
      throw new ControlFileException(
          name + ": the first line is not the next gxid; take the gtm.control of a stopped GTM");
    }
    List<SequenceCommand.Restore> sequences = new ArrayList<>();
    Matcher line = SEQUENCE.matcher(text);
    int at = first.end();
    while (at < text.length()) {
      if (!line.find(at)) {
        throw new ControlFileException(
            place(name, sequences.size())
                + " is cut short or damaged; take the gtm.control of a stopped GTM");
      }
      sequences.add(sequence(name, sequences.size(), line));
      at = line.end();
    }
    return new ControlFile(Long.parseLong(first.group(1)), sequences);
  }

  private static String place(String name, int index) {
    return name + ": sequence " + (index + 1);
  }

  private static SequenceCommand.Restore sequence(String name, int index, Matcher line)
      throws ControlFileException {
    String key = unescape(name, index, line.group(1));
    if (!key.endsWith(TERMINATOR) || key.indexOf(0) != key.length() - 1) {
      throw new ControlFileException(
          place(name, index)
              + " (\""
              + Names.printable(key)
              + "\") has lost the end of its name, as happens to names with the byte 0xD0; rename"
              + " it on the original cluster first");
    }
    try {
      return new SequenceCommand.Restore(
          key,
          Long.parseLong(line.group(4)),
          Long.parseLong(line.group(5)),
          Long.parseLong(line.group(6)),
          Long.parseLong(line.group(3)),
          Long.parseLong(line.group(2)),
          line.group(7).equals("t"),
          line.group(8).equals("t"));
    } catch (NumberFormatException e) {
      throw new ControlFileException(
          place(name, index) + " has a number that is none of 64 bits: " + e.getMessage(), e);
    }
  }

  /**
   * Takes back encode_seq_key: {@code \\}, {@code \n}, {@code \r}, {@code \t}, and for any other
   * byte up to a space two decimal digits. Bytes are signed there, so that one from 0x80 on becomes
   * a {@code 0} and the sum of the byte and the digit {@code 0}.
   */
  private static String unescape(String name, int index, String escaped)
      throws ControlFileException {
    StringBuilder out = new StringBuilder(escaped.length());
    Matcher escape = ESCAPE.matcher(escaped);
    while (escape.find()) {
      if (escape.group(1) != null) {
        escape.appendReplacement(out, Matcher.quoteReplacement(plain(escape.group(1).charAt(0))));
      } else if (escape.group(2) != null && escape.group(3).isEmpty()) {
        escape.appendReplacement(out, "");
      } else if (escape.group(2) != null) {
        int tens = escape.group(2).charAt(0) - '0';
        int value = tens * 10 + ((byte) escape.group(3).charAt(0) - '0');
        escape.appendReplacement(
            out, Matcher.quoteReplacement(String.valueOf((char) (value & 0xff))));
      } else {
        throw new ControlFileException(
            place(name, index) + " has a name with an unknown escape; it is no gtm.control");
      }
    }
    return escape.appendTail(out).toString();
  }

  private static String plain(char escaped) {
    return switch (escaped) {
      case 'n' -> "\n";
      case 'r' -> "\r";
      case 't' -> "\t";
      default -> "\\";
    };
  }
}
