package io.mgtm.group.core;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a member was started with; a group is founded only by members that agree in it.
 *
 * @param members the names of all members, this one's among them
 * @param witness the one among them that votes and keeps no data, empty for none
 * @param beginning what the member's folder would begin the group's log with, in words that are the
 *     same for the same; empty for nothing
 */
public record Configured(List<String> members, String witness, String beginning) {
  /** The longest beginning, in bytes. */
  public static final int BEGINNING_BYTES_MAX = 200;

  public Configured {
    members = List.copyOf(members);
  }

  /** Without anything to begin with. */
  public Configured(List<String> members, String witness) {
    this(members, witness, "");
  }

  /** Whether that is the witness. */
  public boolean isWitness(String name) {
    return name.equals(witness);
  }

  boolean hasSameMembers(List<String> names) {
    return Set.copyOf(names).equals(Set.copyOf(members));
  }

  /**
   * What keeps a member from founding a group with another, as a sentence for an operator.
   *
   * @param self this member's name
   * @param name the other's
   */
  Optional<String> differenceFrom(Configured other, String self, String name) {
    if (!witness.equals(other.witness)) {
      return Optional.of(
          "%s was started with %s, and this member with %s; start all with the same group.witness"
              .formatted(name, witnessInWords(other.witness), witnessInWords(witness)));
    }
    if (!hasSameMembers(other.members)) {
      return Optional.of(
          "%s was started with the members %s, and this member with %s; start all with the same"
              .formatted(name, other.members, members));
    }
    return beginsOtherwise(other, self, name);
  }

  /**
   * Whether the folder of one member would begin the group's log otherwise than that of another, as
   * a sentence for an operator; never of a witness, which has no log.
   */
  Optional<String> beginsOtherwise(Configured other, String name, String otherName) {
    if (isWitness(name) || isWitness(otherName) || beginning.equals(other.beginning)) {
      return Optional.empty();
    }
    return Optional.of(
        "%s would begin it with %s, and %s with %s; all must begin it alike, with the same backup, restored with the same options, and the same first gxid"
            .formatted(otherName, other.beginningInWords(), name, beginningInWords()));
  }

  private String beginningInWords() {
    return beginning.isEmpty() ? "nothing" : beginning;
  }

  static String witnessInWords(String name) {
    return name.isEmpty() ? "no witness" : "the witness " + name;
  }
}
