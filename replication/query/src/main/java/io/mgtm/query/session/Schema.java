package io.mgtm.query.session;

import io.mgtm.query.catalogue.CatalogueReading;
import io.mgtm.query.catalogue.Catalogues;
import io.mgtm.query.catalogue.SchemaLock;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.sql.Classifier;
import io.mgtm.query.sql.Statement;
import io.mgtm.query.wire.ErrorFields;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * What a session takes the schema to be, and its part in changing it. Belongs to the session.
 *
 * <p>What always holds: the rows that a statement has written at the leader go to the others only
 * if the statement was classified by a catalogue that was read after the last change of the schema
 * that began to commit before the leader answered. Changes on which it depends cannot commit
 * afterwards before its transaction ends, as PostgreSQL's locks on its table at the leader see to.
 */
final class Schema implements SchemaLock.Holder {
  private final ReplicatedSession session;
  private final String database;
  private final TemporaryTables temporaries;
  private Catalogues.Known known;

  /** The open transaction has changed the schema, and {@link #known} is what it sees. */
  private boolean changed;

  /** A statement has changed the schema since {@link #known} was read. */
  private boolean unread;

  /** The open transaction has made a function, which what looks like a column may call. */
  private boolean callable;

  /** It has renamed a label of an enum. */
  private boolean relabelled;

  /** It has changed who is a member of roles, which other databases have too. */
  private boolean everywhere;

  /**
   * A statement runs by what is known, and nobody looks whether it has done as it was taken for.
   */
  private boolean running;

  private final List<CompletableFuture<Void>> whenEnded = new ArrayList<>();

  /** Whether a statement runs, and else when the last one has ended; for other threads. */
  private volatile boolean working;

  private volatile long idleSinceNanos;

  /** Whether the open transaction has run anything, so that others may wait for its locks. */
  private boolean touched;

  private boolean locked;
  private Runnable whenUnlocked;
  private Future<?> late;

  Schema(ReplicatedSession session, String database, Catalogues.Known known) {
    this.session = session;
    this.database = database;
    this.known = known;
    this.temporaries = new TemporaryTables(session);
  }

  private Catalogues catalogues() {
    return session.shared().catalogues();
  }

  Catalogues.Known known() {
    return known;
  }

  /** Those of the session, which are no part of what is known of the database. */
  TemporaryTables temporaries() {
    return temporaries;
  }

  /** Of all that names mean to the session. */
  Classifier classifier() {
    return temporaries.areNone() ? known.classifier() : known.classifier().with(temporaries.all());
  }

  /** Whether constraints may be left to be checked at COMMIT. */
  boolean mayHaveDeferred() {
    return changed || known.deferrable() || temporaries.maySome();
  }

  String database() {
    return database;
  }

  /** Whether the open transaction has changed it. */
  boolean isChanged() {
    return changed;
  }

  /** Whether statements may be classified by what is known, and what they wrote may go on. */
  boolean isCurrent() {
    if (changed) {
      // In a failed transaction nothing but its end is run.
      return !unread || session.set().status() == 'E';
    }
    return catalogues().isCurrent(database, known);
  }

  /**
   * Reads it; the session ends when that fails.
   *
   * @param lost called when the server of the open transaction is out
   */
  void refresh(Runnable then, Runnable lost) {
    if (changed) {
      Backend home = session.set().home();
      session.runsAt(null);
      CatalogueReading reading =
          new CatalogueReading(
              catalogues(),
              session.planner().charset(),
              (got, error) -> {
                if (error == null) {
                  unread = false;
                  take(got, then);
                } else {
                  session.end(ErrorFields.fatal(error.sqlState(), error.message()));
                }
              },
              lost);
      home.hold(true);
      home.ask(CatalogueReading.SQL, reading);
      return;
    }
    catalogues()
        .of(database)
        .whenComplete(
            (got, cause) ->
                session.execute(
                    () -> {
                      if (session.isEnded()) {
                        return;
                      }
                      if (cause == null) {
                        take(got, then);
                      } else {
                        session.end(
                            ErrorFields.fatal(
                                "08006", "the schema cannot be read: " + Futures.reason(cause)));
                      }
                    }));
  }

  private void take(Catalogues.Known got, Runnable then) {
    if (session.isEnded()) {
      return;
    }
    known = got;
    then.run();
  }

  /** A statement that was classified by what is known begins. */
  void begins(Segment segment) {
    working = true;
    touched |= session.set().home() != null;
    running =
        switch (segment.kind()) {
          case RUN, FETCH, TEMPORARY -> true;
          default -> false;
        };
  }

  /** It has ended. */
  void ends() {
    running = false;
    idleSinceNanos = System.nanoTime();
    working = false;
    whenEnded.forEach(one -> one.complete(null));
    whenEnded.clear();
  }

  /** Any thread; see {@link OpenSession#runningEnds}. */
  CompletableFuture<Void> runningEnds(String of) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    session.execute(
        () -> {
          if (running && of.equals(database)) {
            whenEnded.add(end);
          } else {
            end.complete(null);
          }
        });
    return end;
  }

  /** Any thread; see {@link OpenSession#othersFollow}. */
  CompletableFuture<Void> othersFollow() {
    return CompletableFuture.supplyAsync(this::behind, session::execute)
        .thenCompose(behind -> Futures.all(behind.stream().map(Schema::idle)));
  }

  private List<Backend> behind() {
    ServerSet set = session.set();
    return set.all().stream().filter(one -> set.home() != null && one != set.home()).toList();
  }

  private static CompletableFuture<Void> idle(Backend one) {
    CompletableFuture<Void> idle = new CompletableFuture<>();
    one.whenIdle(() -> idle.complete(null));
    return idle;
  }

  // ---- changes ---------------------------------------------------------------------------------

  boolean isLocked() {
    return locked;
  }

  @Override
  public long idleNanos() {
    return working ? 0 : System.nanoTime() - idleSinceNanos;
  }

  /**
   * Waits until no other session changes the schema: for as long as a server may take, or, where
   * that session cannot wait for this one, until it has done nothing for so long.
   */
  void lock(Runnable then, Runnable tooLong) {
    if (session.shared().schemaLock().enter(this)) {
      locked = true;
      then.run();
      return;
    }
    whenUnlocked = then;
    watch(applyNanos(), tooLong);
  }

  private long applyNanos() {
    return TimeUnit.MILLISECONDS.toNanos(session.shared().config().timeouts().applyMs());
  }

  private void watch(long nanos, Runnable tooLong) {
    late =
        session
            .loop()
            .schedule(
                () -> {
                  long left =
                      holdsNothing() ? applyNanos() - session.shared().schemaLock().idleNanos() : 0;
                  if (whenUnlocked != null && left > 0) {
                    watch(left, tooLong);
                  } else if (whenUnlocked != null) {
                    unlock();
                    tooLong.run();
                  }
                },
                nanos,
                TimeUnit.NANOSECONDS);
  }

  private boolean holdsNothing() {
    ServerSet set = session.set();
    return (set.home() == null || !touched) && !set.keepsAt(session.shared().fleet().leader());
  }

  boolean isWaiting() {
    return whenUnlocked != null;
  }

  /** It is neither locked nor waited for any more. */
  void unlock() {
    if (locked || whenUnlocked != null) {
      whenUnlocked = null;
      locked = false;
      if (late != null) {
        late.cancel(false);
      }
      session.shared().schemaLock().leave(this);
    }
  }

  @Override
  public void unlocked() {
    session.execute(
        () -> {
          Runnable then = whenUnlocked;
          if (then == null || session.isEnded()) {
            // Who waits behind this session is not left waiting.
            if (session.shared().schemaLock().enter(this) && !locked) {
              session.shared().schemaLock().leave(this);
            }
            return;
          }
          if (session.shared().schemaLock().enter(this)) {
            whenUnlocked = null;
            late.cancel(false);
            locked = true;
            then.run();
          }
        });
  }

  /** A statement of the open transaction has changed it. */
  void change(Statement by) {
    changed = true;
    unread = true;
    callable |= by.makesColumnLike();
    everywhere |= by.isMembership();
    relabelled |= by.renamesLabel();
  }

  /** Whether statements of others that run may come to call what the open transaction has made. */
  boolean isCallable() {
    return callable;
  }

  /** Whether the open transaction has renamed a label of an enum. */
  boolean isRelabelled() {
    return relabelled;
  }

  /** The databases that it has changed. */
  Set<String> changedIn() {
    return everywhere ? catalogues().databases() : Set.of(database);
  }

  /** A savepoint was rolled back to. */
  void undone() {
    unread |= changed;
    temporaries.mayDiffer();
  }

  /** The transaction has ended. */
  void ended() {
    changed = false;
    unread = false;
    callable = false;
    everywhere = false;
    relabelled = false;
    touched = false;
    ends();
    temporaries.mayDiffer();
    unlock();
  }
}
