package io.mgtm.block.nbd;

import io.netty.channel.Channel;

/** A connected client, as the volume sees it. */
public interface NbdClient {
  /** Who it is, for the log. */
  String describe();

  /** Whoever is at the other end; a client of a UNIX socket has no address but that socket's. */
  static String nameOf(Channel channel) {
    String address = String.valueOf(channel.remoteAddress());
    return address.isEmpty() ? "at " + channel.localAddress() : address;
  }

  /** Ends the connection. */
  void disconnect();
}
