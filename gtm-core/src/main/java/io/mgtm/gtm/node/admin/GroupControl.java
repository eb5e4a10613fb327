package io.mgtm.gtm.node.admin;

import io.mgtm.group.DurabilityMode;
import java.util.Optional;

/** What an operator can do to a group through one of its nodes. Owner thread. */
public interface GroupControl {

  NodeStatus status();

  /** Whether changes of the group are to be asked of this node. */
  boolean decides();

  /** Hands the leadership over; the answer is why not, empty when it has begun. */
  Optional<String> transfer(String member);

  /** Lets a member join when it shows up; the answer is why not. */
  Optional<String> add(String member);

  /** Takes a member out; the answer is why not, empty when it has begun. */
  Optional<String> remove(String member);

  /** Lets the group force more or less to disk from now on; the answer is why not. */
  Optional<String> durability(DurabilityMode mode);

  /** Goes on without members that may know more; the answer is why not. */
  Optional<String> acceptLoss();
}
