package io.mgtm.gtm.sim;

import io.mgtm.gtm.gateway.LinkListener;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.netty.buffer.ByteBuf;

/** What a node tells a gateway, for one who reads a trace. */
record TracedListener(World world, String gateway, LinkListener to) implements LinkListener {
  @Override
  public void leadership(Leadership leadership) {
    world.trace("%s hears %s", gateway, leadership);
    to.leadership(leadership);
  }

  @Override
  public void attached(long session, long last) {
    world.trace("%s: session %x attached after %d", gateway, session, last);
    to.attached(session, last);
  }

  @Override
  public void refused(long session, RefusalCode code, String message, String hint) {
    world.trace("%s: session %x refused, %s %s", gateway, session, code, message);
    to.refused(session, code, message, hint);
  }

  @Override
  public void reply(long session, long number, boolean close, ByteBuf bytes) {
    to.reply(session, number, close, bytes);
  }

  @Override
  public void pieces(long session, long number, long id, long bytes) {
    to.pieces(session, number, id, bytes);
  }

  @Override
  public void piece(long id, ByteBuf bytes) {
    to.piece(id, bytes);
  }

  @Override
  public void entries(LinkEntries entries) {
    to.entries(entries);
  }

  @Override
  public void pong(long nonce) {
    to.pong(nonce);
  }

  @Override
  public void closed(String why) {
    world.trace("%s: a link is closed, %s", gateway, why);
    to.closed(why);
  }
}
