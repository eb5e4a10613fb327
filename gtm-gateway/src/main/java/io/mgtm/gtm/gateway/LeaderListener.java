package io.mgtm.gtm.gateway;

import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.netty.buffer.ByteBuf;

/** What {@link LinkSet} tells: who leads, and what the leader's link brings. */
interface LeaderListener {

  /**
   * A node leads, in a term that was not told before; what was sent to the last leader and not
   * answered is in doubt.
   */
  void leads(Link link, Leadership leadership);

  /** Nobody is known to lead. */
  void nobodyLeads(String why);

  /** As {@link LinkListener#attached}, of the leader. */
  void attached(long session, long last);

  /** As {@link LinkListener#refused}, of the leader. */
  void refused(long session, RefusalCode code, String message, String hint);

  /** As {@link LinkListener#reply}, of the leader. */
  void reply(long session, long number, boolean close, ByteBuf bytes);

  /** As {@link LinkListener#pieces}, of the leader. */
  void pieces(long session, long number, long id, long bytes);

  /** As {@link LinkListener#piece}, of any link. */
  void piece(Link link, long id, ByteBuf bytes);

  /** A link has ended, whether that of the leader or not. */
  void closed(Link link);

  /** As {@link LinkListener#garbled}, of the leader. */
  void garbled();

  /** As {@link LinkListener#entries}, of the leader. */
  void entries(LinkEntries entries);

  /** How many commands wait for replies. */
  int outstanding();
}
