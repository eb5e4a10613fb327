package io.mgtm.gtm.front;

/** How a front speaks to its GTM. */
public enum UpstreamProtocol {
  /** Finds out; whoever shows keys or a secret speaks to a group of mgtm. */
  AUTO,
  /** To a group of mgtm, by links; with replay. */
  MGTM,
  /** To an original GTM, as an original proxy. Nothing is repeated when the connection breaks. */
  XC
}
