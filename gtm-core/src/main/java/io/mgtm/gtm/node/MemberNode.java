package io.mgtm.gtm.node;

import io.mgtm.gtm.node.admin.GroupControl;
import io.mgtm.gtm.wire.link.Leadership;

/** This node as a member of a group, in whatever mode. Owner thread. */
interface MemberNode extends GroupControl {

  /** How this node stands now. */
  Leadership leadership();

  /** Lets others take over before this node stops; false when there is nobody or nothing to do. */
  boolean handOver();

  /** Whether others have not taken over yet. */
  boolean isNeeded();
}
