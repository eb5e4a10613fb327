package io.mgtm.gtm.config;

import io.mgtm.common.ConfigException;
import io.mgtm.common.Key;
import java.nio.file.Path;

/** Links from gateways. */
public record LinksConfig(
    @Key(
            "its first line is the secret, of 16 characters and more, that proxies and the other members must know, see docs/link.md;"
                + " a second line is one that is accepted too, while the secret is changed, see docs/group-procedures.md#change-a-secret")
        Path secretFile,
    @Key("PEM: this node's certificate chain, for TLS on links") Path certificate,
    @Key("PEM: the key of that certificate") Path key,
    @Key(
            "PEM: the authorities whose certificates gateways must show; unless set, they need none."
                + " In a group with `links.certificate` members reach each other so too, and need it")
        Path trust,
    @Key("whether links without TLS are refused") boolean tlsOnly,
    @Key(
            value =
                "how long a proxy's session, and what is open in it, lives without a connection",
            min = 100,
            max = 3_600_000)
        int graceMs) {

  void validate() throws ConfigException {
    if ((certificate == null) != (key == null)) {
      throw new ConfigException("links.certificate and links.key are set together, or neither is");
    }
    if (certificate == null && (trust != null || tlsOnly)) {
      throw new ConfigException("links.trust and links.tlsOnly need links.certificate");
    }
  }
}
