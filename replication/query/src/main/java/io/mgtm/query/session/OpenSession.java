package io.mgtm.query.session;

import io.mgtm.query.fleet.Node;
import io.mgtm.query.wire.ErrorFields;
import io.netty.util.concurrent.Future;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A client that is in. Its methods may be called by any thread. */
public interface OpenSession {
  /** The number that its client knows it by. */
  int pid();

  /** Who knows it beside the number may cancel what runs. */
  int secret();

  /** Ends it as soon as nothing runs in it and no transaction is open. */
  void drain();

  /**
   * Ends it, once what is on its way to the client is there.
   *
   * @param why what to tell the client, or null when it need not be told
   */
  void end(ErrorFields why);

  /** Ends it whatever runs in it, as the replicator stops. */
  default void stop() {
    end(
        ErrorFields.fatal(
            "57P01", "terminating connection due to administrator command: the replicator stops"));
  }

  /** Asks for what runs to be cancelled; completes when that was taken. */
  Future<?> cancel();

  /** The numbers of its backends at a server. */
  List<Integer> backendsAt(Node node);

  /** A server is about to be in: connects to it while all goes on; completes when it has tried. */
  CompletableFuture<Void> serverComes(Node node);

  /** A server was put out, or does not come in. */
  void serverOut(Node node);

  /** Completes when what runs now in that database, and is not looked at afterwards, has ended. */
  default CompletableFuture<Void> runningEnds(String database) {
    return CompletableFuture.completedFuture(null);
  }

  /** Completes when the other servers have done what they were given of the open transaction. */
  default CompletableFuture<Void> othersFollow() {
    return CompletableFuture.completedFuture(null);
  }
}
