package io.mgtm.gtm.gateway;

/** How a gateway speaks to its GTM. */
public enum UpstreamProtocol {
  /** Finds out; whoever shows keys or a secret speaks to a group of mgtm. */
  AUTO,
  /** To a group of mgtm, by links; with replay. */
  MGTM,
  /** To an original GTM, as an original proxy. Nothing is repeated when the connection breaks. */
  XC
}
