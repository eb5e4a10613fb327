package io.mgtm.query.session;

import io.mgtm.query.wire.ErrorFields;
import java.util.List;

/**
 * Sees to it that what a unit runs is classified by what names mean to its session at that moment:
 * by the schema, and by the temporary tables of the session. Belongs to a session.
 */
final class UnitNames {
  private final ReplicatedSession session;
  private final UnitRun run;
  private final ServerSet set;

  UnitNames(ReplicatedSession session, UnitRun run) {
    this.session = session;
    this.run = run;
    this.set = session.set();
  }

  /** Whether the next segment is run now, by what is known; else the unit goes on later. */
  boolean areKnown(Segment next) {
    Schema schema = session.schema();
    if (next.kind() == Segment.Kind.CONTROL) {
      return true;
    }
    if (!schema.isCurrent()) {
      schema.refresh(run::renew, () -> run.lost(set.home()));
      return false;
    }
    if (!schema.temporaries().areKnown() && !isSetting(next)) {
      Backend at = set.homeOrLeader();
      schema.temporaries().read(at, this::read, () -> run.lost(at));
      return false;
    }
    if (next.kind() != Segment.Kind.DDL || schema.isLocked()) {
      schema.begins(next);
      return true;
    }
    schema.lock(
        run::next,
        () ->
            run.fail(
                ErrorFields.error("55P03", "another session changes the schema")
                    .withHint("Repeat it when that has ended its transaction.")));
    return false;
  }

  /** What may have to come before any query of its transaction, and names no table. */
  private static boolean isSetting(Segment next) {
    return next.kind() == Segment.Kind.SESSION
        && !next.command().statement().word(1).equals("constraints");
  }

  private void read(boolean changed, ErrorFields error) {
    if (error != null) {
      run.fail(error);
    } else if (changed) {
      run.renew();
    } else {
      run.next();
    }
  }

  /**
   * Reads which temporary tables are left, where a transaction has ended that may have had some: a
   * session that has none is not bound to its server.
   */
  void settle(Runnable then) {
    TemporaryTables temporaries = session.schema().temporaries();
    Backend leader = set.status() != 'I' || temporaries.areKnown() ? null : set.leader();
    if (leader == null || temporaries.lostBy(leader) != null) {
      then.run();
      return;
    }
    temporaries.read(
        leader,
        (changed, error) -> {
          if (changed) {
            session.planner().renew(session.schema().classifier(), List.of());
          }
          then.run();
        },
        then);
  }
}
