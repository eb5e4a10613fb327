package io.mgtm.ha.api;

import io.mgtm.common.HostPort;
import io.mgtm.common.TlsFiles;
import io.mgtm.ha.config.AccessConfig;
import io.mgtm.ha.kit.ResourceCheck;
import io.mgtm.ha.notify.Notifier;
import java.util.Optional;

/**
 * What a controller's HTTP is served with.
 *
 * @param at the address for operators on other machines; those on this machine may ask at loopback
 *     as well
 * @param kits what the kits of this version make of a resource
 * @param secret the cluster's, which proves an administrator
 * @param tls no certificate to serve in the clear
 * @param access who else may ask what
 * @param notifier what tells of events; none where nobody is told
 */
public record ApiSetup(
    HostPort at,
    ResourceCheck kits,
    Optional<String> secret,
    TlsFiles tls,
    AccessConfig access,
    Optional<Notifier> notifier) {

  /** In the clear, and for those who know the secret. */
  public ApiSetup(HostPort at, ResourceCheck kits, Optional<String> secret) {
    this(
        at,
        kits,
        secret,
        new TlsFiles("tls.", null, null, null),
        AccessConfig.NONE,
        Optional.empty());
  }
}
