package io.mgtm.gtm.node.engine;

/** What takes the work of links through the state and the group. Owner thread. */
public interface CommandEngine {

  /** Whether this node takes commands. */
  boolean isServing();

  /** Sessions with a link to this node. */
  int attachedSessions();

  /** How many batches wait for the group. */
  int pendingReplies();

  /** Takes what a link brought; it is done, with all else of this batch, at the batch's end. */
  void submit(LinkWork work);

  /** A link that took no more does again. */
  void resume();

  /** A gateway asks for the next piece of a long reply, or wants no more of it. */
  void pull(GatewayPeer peer, long id, boolean more);

  /** Tells all members, and through them all gateways, where this one is. */
  void announce();

  /** Called now and then. */
  void tick();

  /** Serves nothing from here on, and drops what will never be acknowledged. */
  void abandon();
}
