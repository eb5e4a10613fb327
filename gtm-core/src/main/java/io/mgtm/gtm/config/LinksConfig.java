package io.mgtm.gtm.config;

import io.mgtm.common.ConfigException;
import java.nio.file.Path;

/**
 * Links from gateways.
 *
 * @param secretFile its first line is the secret that gateways must know; null for none
 * @param certificate PEM file with this node's certificate chain; null for no TLS
 * @param key PEM file with its private key
 * @param trust PEM file with the authorities whose certificates gateways must show; null to ask for
 *     none
 * @param tlsOnly whether links without TLS are refused
 * @param graceMs how long a gateway's session lives without a link
 */
public record LinksConfig(
    Path secretFile, Path certificate, Path key, Path trust, boolean tlsOnly, int graceMs) {

  void validate() throws ConfigException {
    if ((certificate == null) != (key == null)) {
      throw new ConfigException("links.certificate and links.key are set together, or neither is");
    }
    if (certificate == null && (trust != null || tlsOnly)) {
      throw new ConfigException("links.trust and links.tlsOnly need links.certificate");
    }
  }
}
