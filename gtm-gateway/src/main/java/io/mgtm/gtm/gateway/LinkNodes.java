package io.mgtm.gtm.gateway;

import java.util.List;
import java.util.function.Function;

/**
 * The nodes of a group as a gateway reaches them.
 *
 * @param known those that were configured
 * @param learnt makes what connects to one that others told of, from its {@code host:port}
 */
public record LinkNodes(List<LinkConnector> known, Function<String, LinkConnector> learnt) {
  public LinkNodes {
    known = List.copyOf(known);
  }
}
