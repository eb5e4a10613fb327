package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.link.RefusalCode;
import java.util.List;
import java.util.function.Consumer;

/** Turns away what links bring to a node that does not lead. Owner thread. */
final class NotLeading {
  private final LinkSetup setup;
  private final Consumer<GatewayPeer> gone;

  /**
   * @param gone told of the links that have ended
   */
  NotLeading(LinkSetup setup, Consumer<GatewayPeer> gone) {
    this.setup = setup;
    this.gone = gone;
  }

  /** Nothing of it was done. */
  void turnAway(List<LinkWork> works) {
    BatchOutput output = new BatchOutput();
    for (LinkWork work : works) {
      if (work instanceof LinkWork.Attach attach) {
        refuse(output, attach.peer(), attach.session());
      } else if (work instanceof LinkWork.Commands commands) {
        refuse(output, commands.peer(), commands.session());
      } else if (work instanceof LinkWork.Copy copy) {
        copy.answer().notLeading();
      } else if (work instanceof LinkWork.Gone ended) {
        gone.accept(ended.peer());
      }
    }
    output.write();
    output.flush();
  }

  /** The leadership that follows lets the gateway start over, also where this node leads again. */
  void refuse(BatchOutput output, GatewayPeer peer, long session) {
    output.refuse(
        peer, session, RefusalCode.NOT_LEADING, "this node does not lead", "Ask the leader.");
    LinkWriter.leadership(output.to(peer), setup.leadership().get(), peer.version());
  }
}
