package io.mgtm.gtm.node.engine;

/** What takes the work of links through the state and the group, as links see it. Owner thread. */
public interface CommandEngine {

  /** Whether this node takes commands. */
  boolean isServing();

  /** Whether this node takes changes of the group. */
  boolean decides();

  /** Takes what a link brought; it is done, with all else of this batch, at the batch's end. */
  void submit(LinkWork work);

  /** A link that took no more does again. */
  void resume();

  /** A gateway asks for the next piece of a long reply, or wants no more of it. */
  void pull(GatewayPeer peer, long id, boolean more);
}
