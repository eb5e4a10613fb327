package io.mgtm.ha.node;

import io.mgtm.ha.core.ClusterState;

/** Is told what is committed while this controller leads. Owner thread; must not wait. */
public interface LeaderListener {
  /** A state that no other leader takes back. */
  void committed(ClusterState state);

  /** Another controller leads, or none. */
  void following();
}
