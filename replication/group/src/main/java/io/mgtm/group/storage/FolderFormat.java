package io.mgtm.group.storage;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The file {@code format}, which makes a folder ours: its version and whose folder it is. Since
 * version 2 what a member promised may stand in slots, which earlier programs take for damage.
 *
 * <pre>
 * mgtm data folder
 * version=2
 * member=7c9e6679-7425-40de-944b-e07fc1f90ae7
 * </pre>
 */
final class FolderFormat {
  static final String NAME = "format";
  static final int VERSION = 2;

  private static final int OLDEST = 1;

  private static final Pattern TEXT =
      Pattern.compile("mgtm data folder\nversion=(\\d{1,9})\n(?:.*\n)*?member=(\\S+)\n(?:.*\n)*");

  private FolderFormat() {}

  /**
   * @throws LogException with FORMAT when a newer version wrote the folder, or the file is not ours
   */
  static UUID read(StorageFiles files) {
    String place = files.describe(NAME);
    Matcher text = TEXT.matcher(new String(files.read(NAME), UTF_8));
    if (!text.matches()) {
      throw new LogException(
          Category.FORMAT,
          "%s is damaged, or not of an mgtm data folder; choose another folder, or restore the file%s"
              .formatted(place, LogException.ADVICE));
    }
    int version = Integer.parseInt(text.group(1));
    if (version < OLDEST || version > VERSION) {
      throw new LogException(
          Category.FORMAT,
          ("%s says data version %d and this program reads versions %d to %d; start the newer program, or"
                  + " choose another folder")
              .formatted(place, version, OLDEST, VERSION));
    }
    try {
      return UUID.fromString(text.group(2));
    } catch (IllegalArgumentException e) {
      throw new LogException(
          Category.FORMAT,
          "%s is damaged: the member id \"%s\" is no UUID; restore the file%s"
              .formatted(place, text.group(2), LogException.ADVICE),
          e);
    }
  }

  /** Notes the version of this program, where an earlier one stands. On return it is on disk. */
  static void renew(StorageFiles files) {
    UUID member = read(files);
    if (new String(files.read(NAME), UTF_8).contains("\nversion=1\n")) {
      write(files, member);
    }
  }

  /** On return the file is on disk. */
  static void write(StorageFiles files, UUID member) {
    String text = "mgtm data folder\nversion=%d\nmember=%s\n".formatted(VERSION, member);
    String unfinished = NAME + FileNames.UNFINISHED;
    files.write(unfinished, text.getBytes(UTF_8));
    files.force(unfinished);
    files.rename(unfinished, NAME);
    files.forceDirectory();
  }
}
