package io.mgtm.gtm.server;

/** Mistakes that a group of mode lazy, or its fronts, could make. */
enum LazySimFault {
  NONE,
  /** A new leader does not wait for fronts. */
  NO_WAIT,
  /** What fronts present is applied in another order than that of the counts. */
  OTHER_ORDER,
  /** What a front was given that died with the leader is not skipped. */
  NO_SKIP,
  /** A front forgets what a reply rests on as soon as it has the reply. */
  FORGET_AT_REPLY,
  /** The front within the leader gets its replies before they are stable. */
  OWN_FRONT_AT_ONCE
}
