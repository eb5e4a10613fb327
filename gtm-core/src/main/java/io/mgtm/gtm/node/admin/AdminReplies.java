package io.mgtm.gtm.node.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.common.Rarely;
import io.mgtm.gtm.node.engine.GatewayPeer;
import io.mgtm.gtm.wire.link.AdminReplyKind;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.netty.buffer.ByteBuf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the answers to operators' requests. Owner thread. */
public final class AdminReplies {
  private static final Logger log = LoggerFactory.getLogger(AdminReplies.class);
  private static final Rarely REFUSALS = new Rarely();

  private AdminReplies() {}

  /** Says that an operator may not ask for this. */
  public static void refuse(GatewayPeer peer, long id, String verb, String whyNot) {
    REFUSALS.run(
        more -> log.warn("{} asks for {}: refused, {}{}", peer.describe(), verb, whyNot, more));
    fail(peer, id, whyNot);
  }

  static void fail(GatewayPeer peer, long id, String why) {
    reply(peer, id, AdminReplyKind.FAILED, why.getBytes(UTF_8));
  }

  static void reply(GatewayPeer peer, long id, AdminReplyKind kind, byte[] bytes) {
    ByteBuf out = peer.newBuffer();
    LinkWriter.adminReply(out, id, kind, bytes);
    peer.write(out);
    peer.flush();
  }
}
