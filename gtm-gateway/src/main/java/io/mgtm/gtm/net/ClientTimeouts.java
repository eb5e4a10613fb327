package io.mgtm.gtm.net;

import io.mgtm.common.Key;

/** How long nodes and proxies wait for a client; a section of the configuration of both. */
public record ClientTimeouts(
    @Key(
            value =
                "for a connection's startup packet, and at a node for a TLS handshake and a"
                    + " gateway's proof that it knows the secret. At most 1,024 connections are in"
                    + " that state; when one more comes, the one that was silent longest is closed",
            min = 100,
            max = 3_600_000)
        int startupMs,
    @Key(value = "for the rest of a request that has begun", min = 100, max = 3_600_000)
        int frameMs,
    @Key(
            value = "for a client to take anything at all of the replies that pile up for it",
            min = 100,
            max = 3_600_000)
        int outboundMs) {
  /** What holds when nothing is set. */
  public static final ClientTimeouts DEFAULTS = new ClientTimeouts(10_000, 30_000, 60_000);
}
