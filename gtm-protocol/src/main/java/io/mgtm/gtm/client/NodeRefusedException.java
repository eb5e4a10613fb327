package io.mgtm.gtm.client;

import java.io.IOException;

/** What listens at an address does not let an operator in; asking again does not help. */
public final class NodeRefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean node;

  NodeRefusedException(String message, boolean node) {
    super(message);
    this.node = node;
  }

  /**
   * Whether it is a node of mgtm; false for a proxy, an original GTM, or another server, which do
   * not speak the nodes' link.
   */
  public boolean isNode() {
    return node;
  }
}
