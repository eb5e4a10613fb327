package io.mgtm.group.core;

import java.util.Comparator;
import java.util.Objects;
import java.util.UUID;

/**
 * A member: a name that is configured, on a certain data folder. The same name with an emptied
 * folder is another member, so that what the former one promised is never expected of it.
 *
 * @param name unique in the group
 * @param folder drawn at random when the folder was made
 */
public record MemberId(String name, UUID folder) implements Comparable<MemberId> {
  private static final Comparator<MemberId> ORDER =
      Comparator.comparing(MemberId::name).thenComparing(MemberId::folder);

  /** Refuses nulls. */
  public MemberId {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(folder, "folder");
  }

  @Override
  public int compareTo(MemberId other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return name + '(' + folder.toString().substring(0, 8) + ')';
  }
}
