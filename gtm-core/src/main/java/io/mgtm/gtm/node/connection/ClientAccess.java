package io.mgtm.gtm.node.connection;

import io.mgtm.common.AllowList;
import io.mgtm.gtm.config.GtmConfig;
import java.net.SocketAddress;
import java.util.List;

/**
 * Which XC clients a node takes without a proxy. They cannot show who they are, so where links must
 * show it, or must be encrypted, only clients of listed networks are taken. Any thread.
 */
final class ClientAccess {
  static final String CLOSED = "this GTM takes no Postgres-XC client from your address";
  static final String HINT = "Connect through a proxy, or list the address in access.clients.";

  private final AllowList listed;
  private final boolean guarded;

  private ClientAccess(AllowList listed, boolean guarded) {
    this.listed = listed;
    this.guarded = guarded;
  }

  static ClientAccess of(GtmConfig config) {
    List<String> networks = config.access().clients();
    boolean guarded = config.links().secretFile() != null || config.links().tlsOnly();
    return networks == null
        ? new ClientAccess(new AllowList(List.of()), guarded)
        : new ClientAccess(new AllowList(networks), networks.isEmpty());
  }

  /** Whether a client of this address is let in. */
  boolean opensTo(SocketAddress address) {
    return !guarded && listed.allows(address);
  }
}
