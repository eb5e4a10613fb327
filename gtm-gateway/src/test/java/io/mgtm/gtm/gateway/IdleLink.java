package io.mgtm.gtm.gateway;

import io.mgtm.gtm.wire.link.LinkEntries;
import io.netty.buffer.ByteBuf;

/** A link that takes all and does nothing; tests override what they look at. */
public class IdleLink implements Link {
  @Override
  public void attach(long session, boolean fresh, long acked, boolean proxied) {}

  @Override
  public void commands(long session, long acked, long first, int count, ByteBuf commands) {}

  @Override
  public void present(LinkEntries entries) {}

  @Override
  public void pull(long id, boolean more) {}

  @Override
  public void closeSession(long session) {}

  @Override
  public void ping(long nonce) {}

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
