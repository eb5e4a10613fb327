package io.mgtm.query.session;

import io.mgtm.query.connection.ServerConnection;
import io.mgtm.query.connection.ServerDoor;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.scram.ScramClient;
import io.mgtm.query.wire.FrameSplitter;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Promise;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * How a client enters servers.
 *
 * @param parameters that it has sent, in its order, with what the replicator adds
 * @param proof begins an exchange, or null when there is nothing to prove
 */
public record EntryKey(Map<String, String> parameters, Supplier<ScramClient> proof) {
  public EntryKey {
    parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
  }

  /** Enters one of several, as {@link ServerDoor#enterSoon} does it. */
  public Promise<ServerConnection> enter(Node node, ServerDoor door, EventLoop loop) {
    return door.enterSoon(
        loop, node.address(), FrameSplitter.Sender.SERVER, node.kind().begins(parameters), proof);
  }
}
