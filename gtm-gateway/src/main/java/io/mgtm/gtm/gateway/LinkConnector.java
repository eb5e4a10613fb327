package io.mgtm.gtm.gateway;

/** Opens links to one node, one after the other. */
public interface LinkConnector {

  /** Where the node is, for people and for telling whether it is known already. */
  String address();

  /**
   * Opens a link. It is usable once its leadership has come; {@link LinkListener#closed} comes when
   * it cannot be opened.
   */
  Link connect(LinkListener listener);

  /** Whether it is the gateway's own node, which is taken before others that lead in its term. */
  default boolean home() {
    return false;
  }
}
