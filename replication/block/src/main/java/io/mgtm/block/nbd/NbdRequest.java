package io.mgtm.block.nbd;

import io.mgtm.block.volume.Change;
import io.netty.buffer.ByteBuf;

/** One request of one connection, from its header to its reply; pooled by its connection. */
public final class NbdRequest {
  final Change change = new Change();
  private final NbdTransmissionHandler connection;
  int command;
  int flags;
  long cookie;
  long offset;
  long length;
  ByteBuf buffer;
  int errno;
  long startedNs;

  NbdRequest(NbdTransmissionHandler connection) {
    this.connection = connection;
  }

  /**
   * The volume is done with the request; {@code errno} is 0 on success. On the owner's event loop.
   */
  public void completed(int errno) {
    connection.completed(this, errno);
  }
}
