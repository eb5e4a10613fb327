package io.mgtm.query.recovery;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.OwnRole;
import io.mgtm.query.connection.ServerConnection;
import io.mgtm.query.fleet.Difference;
import io.mgtm.query.fleet.Ejection;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.PreparedTransaction;
import io.mgtm.query.fleet.ServerKind;
import io.mgtm.query.order.Entry;
import io.mgtm.query.order.Part;
import io.mgtm.query.session.Backend;
import io.mgtm.query.session.RedoCodec;
import io.mgtm.query.session.RedoRun;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Gives a server what it misses, in the order of the log, as the replicator's own role. Several
 * transactions of the log are one there, with all their numbers. One thread, which waits; what it
 * does at the server is done by the loop of the role.
 */
final class Replayer implements AutoCloseable {
  private static final int PARTS_MAX = 100;
  private static final int BYTES_MAX = 1 << 20;
  private static final String BEGIN =
      "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL synchronous_commit = off";

  private final OwnRole role;
  private final Node node;
  private final long fence;
  private final Map<String, Connection> byDatabase = new LinkedHashMap<>();

  /** 0 for ever. */
  private int withinMs;

  /** A transaction of the log. */
  private record Item(long number, long settled, Part part) {}

  Replayer(OwnRole role, Node node, long fence) {
    this.role = role;
    this.node = node;
    this.fence = fence;
  }

  /** How long it waits for the server from now on, 0 for ever: others may wait for it. */
  void hurry(int toMs) {
    withinMs = toMs;
  }

  /**
   * Gives it a transaction, now or with others that follow.
   *
   * @throws IOException when it is not done there as it was at the leader; all since the last flush
   *     is undone
   */
  void give(Entry.Commits entry, Part part) throws IOException {
    Connection at = at(part.database());
    at.batch.add(new Item(entry.number(), entry.settled(), part));
    at.bytes += part.effects().remaining();
    if (at.batch.size() >= PARTS_MAX || at.bytes >= BYTES_MAX) {
      flush(at);
    }
  }

  /**
   * Several transactions as one, or where that cannot be done each by itself, as the leader did
   * them: one may use what only a transaction that has ended lets others use, as a new label of an
   * enum, or a table that has deferred checks to come.
   */
  private void flush(Connection at) throws IOException {
    List<Item> items = at.take();
    if (items.isEmpty()) {
      return;
    }
    try {
      at.run(items, null);
    } catch (ReplayException e) {
      if (items.size() == 1) {
        throw e;
      }
      for (Item one : items) {
        at(one.part.database()).run(List.of(one), null);
      }
    }
  }

  private Connection at(String database) throws IOException {
    Connection at = byDatabase.get(database);
    if (at == null || at.failed) {
      if (at != null) {
        role.loop().execute(at.backend::close);
      }
      at = new Connection(Futures.await(role.connect(node.address(), database)));
      byDatabase.put(database, at);
    }
    return at;
  }

  /**
   * Has it prepare what a client has prepared, when it has all else; what it had of that was rolled
   * back when it was taken over.
   *
   * @throws ReplayException when it cannot
   */
  void prepare(Entry.Prepares one) throws IOException {
    flush();
    at(one.part().database()).run(List.of(new Item(one.number(), 0, one.part())), one);
  }

  /** Returns when it has all that it was given. */
  void flush() throws IOException {
    for (Connection one : List.copyOf(byDatabase.values())) {
      flush(one);
    }
  }

  @Override
  public void close() {
    byDatabase.values().forEach(one -> role.loop().execute(one.backend::close));
  }

  /** One to a database. */
  private final class Connection implements Backend.Owner {
    private final Backend backend;
    private final RedoCodec.Statements statements = new RedoCodec.Statements();
    private final List<Item> batch = new ArrayList<>();
    private long bytes;

    /** It is not known which statements it knows. */
    private boolean failed;

    /** Of the loop. */
    private Difference wrong;

    Connection(ServerConnection connection) {
      connection.releaseGreeting();
      backend = Backend.over(connection, node, this);
    }

    /** What waits, and does not wait here any longer. */
    List<Item> take() {
      List<Item> items = List.copyOf(batch);
      batch.clear();
      bytes = 0;
      return items;
    }

    /**
     * Runs them in one transaction.
     *
     * @param prepares the entry of the only item, if the transaction is to be prepared, or null
     */
    void run(List<Item> items, Entry.Prepares prepares) throws IOException {
      CompletableFuture<Void> done = new CompletableFuture<>();
      role.loop().execute(() -> run(items, prepares, done));
      failed = true;
      await(done);
      failed = false;
    }

    private void await(CompletableFuture<Void> done) throws IOException {
      try {
        if (withinMs == 0) {
          Futures.await(done);
        } else {
          Futures.await(done, withinMs);
        }
      } catch (IOException e) {
        if (e.getCause() instanceof ReplayException why) {
          throw why;
        }
        throw e;
      }
    }

    private void run(List<Item> items, Entry.Prepares prepares, CompletableFuture<Void> done) {
      wrong = null;
      Runnable lost =
          () -> done.completeExceptionally(new IOException("the connection to " + node + " broke"));
      String begin = BEGIN;
      if (node.kind().knows(ServerKind.TRANSACTION_TIMEOUT)) {
        begin += "; SET LOCAL transaction_timeout = 0";
      }
      backend.ask(
          begin,
          Answer.of(
              (tag, error, status) -> {
                if (error == null) {
                  send(items, prepares, done, lost);
                } else {
                  backend.ask("ROLLBACK", Answer.of((t, e, z) -> {}, () -> {}));
                  done.completeExceptionally(
                      new IOException(node + " begins no transaction: " + error.message()));
                }
              },
              lost));
    }

    private void send(
        List<Item> items, Entry.Prepares prepares, CompletableFuture<Void> done, Runnable lost) {
      List<Part> parts = items.stream().map(Item::part).toList();
      Runnable then =
          prepares == null
              ? () -> noteAll(items, done, lost)
              : () -> prepareAll(prepares, done, lost);
      new RedoRun(backend, statements, this::note, then).run(parts);
    }

    private void prepareAll(Entry.Prepares one, CompletableFuture<Void> done, Runnable lost) {
      PreparedTransaction here = PreparedTransaction.of(one, fence);
      backend.ask(
          here.prepareSql(one.owner()),
          Answer.of(
              (tag, error, status) -> {
                note(error);
                if (wrong == null && status == 'I') {
                  done.complete(null);
                } else {
                  String what = "does not prepare '%s' again: %s";
                  done.completeExceptionally(
                      new ReplayException(
                          new Difference(wrong.kind(), what.formatted(one.gid(), wrong.text()))));
                }
              },
              lost));
    }

    private void noteAll(List<Item> items, CompletableFuture<Void> done, Runnable lost) {
      String notes =
          items.stream()
              .map(i -> PreparedTransaction.noteSql(i.part, i.number, i.settled, fence))
              .collect(Collectors.joining("; "));
      backend.ask(
          notes,
          Answer.of(
              (tag, error, status) -> {
                note(error);
                end(items, done, lost);
              },
              lost));
    }

    private void end(List<Item> items, CompletableFuture<Void> done, Runnable lost) {
      Difference why = wrong;
      backend.ask(
          why == null ? "COMMIT" : "ROLLBACK",
          Answer.of(
              (tag, error, status) -> {
                if (why == null && "COMMIT".equals(tag)) {
                  done.complete(null);
                } else {
                  Difference what = why == null ? Difference.failed("did not commit", error) : why;
                  done.completeExceptionally(
                      new ReplayException(
                          new Difference(
                              what.kind(),
                              "what it missed is not done there as at the leader, in %d to %d: %s%s"
                                  .formatted(
                                      items.get(0).number,
                                      items.get(items.size() - 1).number,
                                      what.text(),
                                      what.kind() == Ejection.DIFFERS
                                          ? "; make it a copy of one that is in"
                                          : ""))));
                }
              },
              lost));
    }

    private void note(ErrorFields error) {
      if (error != null && wrong == null) {
        wrong = Difference.failed(error);
      }
    }

    private void note(Difference what) {
      wrong = wrong == null ? what : wrong;
    }

    @Override
    public void unasked(Backend at, Frame frame) {
      frame.release();
    }

    @Override
    public void broken(Backend at) {
      at.fail();
    }

    @Override
    public void readComplete() {
      // Nobody waits for a part of an answer.
    }

    @Override
    public void writabilityChanged() {
      // A batch is bounded.
    }
  }

  /** A server has not done what the leader did. */
  static final class ReplayException extends IOException {
    private static final long serialVersionUID = 1;

    private final transient Difference why;

    ReplayException(Difference why) {
      super(why.text());
      this.why = why;
    }

    Difference why() {
      return why;
    }
  }
}
