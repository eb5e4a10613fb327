package io.mgtm.group.member;

import io.mgtm.group.DurabilityMode;
import java.util.Optional;
import java.util.Set;

/** What an operator may have a member change in its group. Owner thread. */
public interface GroupAdmin {

  /** Hands the leadership over; the answer is why not, empty when it has begun. */
  Optional<String> transfer(String name);

  /**
   * Lets a member join under a new name, when it shows up, as this member's configuration says: as
   * the witness if it is named there. The answer is why not.
   */
  Optional<String> add(String name);

  /** The same, as the witness or with data, whatever this member's configuration says. */
  Optional<String> add(String name, boolean asWitness);

  /** Takes a member out of the group; the answer is why not, empty when it has begun. */
  Optional<String> remove(String name);

  /** Lets the group force more or less to disk from now on; the answer is why not. */
  Optional<String> durability(DurabilityMode mode);

  /**
   * An operator's decision to go on without members that may know more than those here.
   *
   * @return why not
   */
  Optional<String> acceptLoss();

  /** Members that may be away: that they do not answer is not told as long as this member leads. */
  default void excuse(Set<String> names) {}
}
