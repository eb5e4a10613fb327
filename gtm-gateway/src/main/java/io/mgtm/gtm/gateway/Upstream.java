package io.mgtm.gtm.gateway;

/** The GTM that a gateway serves its clients from: a group, or an original one. */
interface Upstream {

  /** Begins to connect. */
  void start();

  /** The session that plain clients share. */
  UpstreamSession shared();

  /** A session of its own for a client that is a proxy itself. */
  UpstreamSession open();

  /** Whether a client may have its lists show one moment while it takes a backup. */
  default boolean showsBackups() {
    return false;
  }

  /** The event loop's batch ends: what was submitted in it leaves. */
  void flush();

  /** What is wrong now, or empty. Any thread. */
  String trouble();

  /** What it is connected to, in a few words. Any thread. */
  String describe();

  /**
   * Whether clients are served. One that serves none gives its session up, for another gateway of
   * its name may need it.
   */
  default void serves(boolean clients) {}

  /** Ends all sessions in order, then all connections. */
  void close();
}
