package io.mgtm.ha.api;

import io.mgtm.common.Rarely;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ServerConnector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * So many connections there may be. One more takes the place of another, so that those who open
 * many and say nothing keep nobody out: of the address that has most it is the oldest that waits
 * for no answer, or else the oldest. Jetty's threads.
 */
final class ConnectionPlaces implements Connection.Listener {
  private static final Logger log = LoggerFactory.getLogger(ConnectionPlaces.class);

  private final int max;
  private final List<ServerConnector> connectors = new CopyOnWriteArrayList<>();
  private final Rarely told = new Rarely();

  ConnectionPlaces(int max) {
    this.max = max;
  }

  /** The connector's connections count. Before it is started. */
  void add(ServerConnector connector) {
    connectors.add(connector);
    connector.addEventListener(this);
  }

  List<EndPoint> taken() {
    return connectors.stream().flatMap(each -> each.getConnectedEndPoints().stream()).toList();
  }

  @Override
  public void onOpened(Connection opened) {
    List<EndPoint> all = taken();
    if (all.size() <= max) {
      return;
    }
    Map<Object, List<EndPoint>> ofAddress =
        all.stream().collect(Collectors.groupingBy(ConnectionPlaces::address));
    Collections.max(ofAddress.values(), Comparator.comparing(List::size)).stream()
        .sorted(Comparator.comparing(Spoken::isAsked).thenComparing(EndPoint::getCreatedTimeStamp))
        .limit(all.size() - max)
        .forEach(this::close);
  }

  private void close(EndPoint endPoint) {
    told.run(
        more ->
            log.warn(
                "All {} connections are taken; one of {} gives way to another{}",
                max,
                address(endPoint),
                more));
    endPoint.close();
  }

  private static Object address(EndPoint endPoint) {
    return endPoint.getRemoteSocketAddress() instanceof InetSocketAddress at
        ? at.getAddress()
        : "one that is gone";
  }
}
