package io.mgtm.block.nbd;

/** A connected client, as the volume sees it. */
public interface NbdClient {
  /** Who it is, for the log. */
  String describe();

  /** Ends the connection. */
  void disconnect();
}
