package io.mgtm.gtm.state;

import static io.mgtm.gtm.command.SequenceCommand.UNSET;

import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.Names;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.Reply.Reason;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SequenceReply;

/** The commands on sequences; the rules are those of gtm_seq.c. */
final class SequenceRules {
  private static final long DEFAULT_MAX_ASCENDING = 0x7fff_ffff_ffff_fffeL;
  private static final long DEFAULT_MIN_DESCENDING = -0x7fff_ffff_ffff_fffeL;

  private final SequenceDatabases byKey;
  private final Applying applying;
  private final long[] stepped = new long[1];

  SequenceRules(SequenceDatabases byKey, Applying applying) {
    this.byKey = byKey;
    this.applying = applying;
  }

  Reply lastValue(SequenceCommand.LastValue c) {
    Sequence sequence = byKey.get(c.key());
    return sequence == null
        ? noSuchSequence(c.key())
        : new SequenceReply.Value(c.type(), c.key(), sequence.last);
  }

  Reply list() {
    SequenceDatabases now = byKey.picture();
    return new SequenceReply.SequenceList(now.infos(), now.keyBytes());
  }

  Reply nextValue(SequenceCommand.NextValue c) {
    String key = c.key();
    if (byKey.step(key, stepped)) {
      applying.did(Effect.LOGGED);
      return new SequenceReply.Value(CommandType.NEXT_VALUE, key, stepped[0]);
    }
    Sequence sequence = byKey.get(key);
    if (sequence == null) {
      return noSuchSequence(key);
    }
    if (!sequence.draw()) {
      boolean ascending = sequence.increment > 0;
      return new Reply.Rejected(
          Reason.SEQUENCE_EXHAUSTED,
          "nextval: reached "
              + (ascending ? "maximum" : "minimum")
              + " value of sequence \""
              + Names.printable(key)
              + "\" ("
              + (ascending ? sequence.max : sequence.min)
              + ")",
          "");
    }
    applying.did(sequence.settle(applying.entry));
    byKey.put(sequence);
    return new SequenceReply.Value(CommandType.NEXT_VALUE, key, sequence.value);
  }

  /** Why a sequence of this key cannot be added, or null. */
  private Reply refuseNew(String key) {
    if (byKey.contains(key)) {
      return new Reply.Rejected(
          Reason.SEQUENCE_EXISTS,
          "sequence \"" + Names.printable(key) + "\" exists already",
          "If no database has it, it was left by a schema that was renamed:"
              + " drop it with mgtm gtm drop-sequence.");
    }
    if (byKey.count() >= applying.limits.sequencesMax()) {
      return new Reply.Rejected(
          Reason.SEQUENCE_LIMIT,
          "the limit of " + applying.limits.sequencesMax() + " sequences is reached",
          "Raise limits.sequencesMax.");
    }
    return null;
  }

  Reply restore(SequenceCommand.Restore c) {
    Reply refused = refuseNew(c.key());
    if (refused != null) {
      return refused;
    }
    Sequence s = new Sequence(c.key());
    s.increment = c.increment();
    s.min = c.min();
    s.max = c.max();
    s.init = c.start();
    s.last = c.start();
    s.value = c.value();
    s.cycle = c.cycle();
    s.called = c.called();
    Reply wrong = checkBounds(s);
    if (wrong != null) {
      return wrong;
    }
    return put(s, c.type());
  }

  Reply init(SequenceCommand.Init c) {
    Reply refused = refuseNew(c.key());
    if (refused != null) {
      return refused;
    }
    Sequence s = new Sequence(c.key());
    s.increment = c.increment() == UNSET ? 1 : c.increment();
    boolean ascending = s.increment > 0;
    s.min = orDefault(c.min(), ascending ? 1 : DEFAULT_MIN_DESCENDING);
    s.max = orDefault(c.max(), ascending ? DEFAULT_MAX_ASCENDING : -1);
    s.init = orDefault(c.start(), ascending ? 1 : DEFAULT_MIN_DESCENDING);
    s.value = s.init;
    s.last = s.init;
    s.cycle = c.cycle();
    Reply wrong = checkBounds(s);
    if (wrong == null && (s.init < s.min || s.init > s.max)) {
      wrong = bounds(c.key(), "START value (" + s.init + ") must lie in " + s.min + ".." + s.max);
    }
    if (wrong != null) {
      return wrong;
    }
    return put(s, c.type());
  }

  private static long orDefault(long value, long otherwise) {
    return value == UNSET ? otherwise : value;
  }

  private static Reply checkBounds(Sequence s) {
    if (s.increment == 0) {
      return bounds(s.key, "INCREMENT must not be zero");
    }
    if (s.min > s.max) {
      return bounds(
          s.key, "MINVALUE (" + s.min + ") must not be greater than MAXVALUE (" + s.max + ")");
    }
    return null;
  }

  private static Reply bounds(String key, String what) {
    return new Reply.Rejected(
        Reason.SEQUENCE_BOUNDS, "sequence \"" + Names.printable(key) + "\": " + what, "");
  }

  Reply setValue(SequenceCommand.SetValue c) {
    Sequence s = byKey.get(c.key());
    if (s == null) {
      return noSuchSequence(c.key());
    }
    s.last = s.value;
    s.value = c.value();
    s.called = c.called();
    if (!c.called()) {
      s.init = c.value();
    }
    return put(s, c.type());
  }

  Reply alter(SequenceCommand.Alter c) {
    Sequence changed = byKey.get(c.key());
    if (changed == null) {
      return noSuchSequence(c.key());
    }
    changed.increment = c.increment();
    changed.min = c.min();
    changed.max = c.max();
    changed.cycle = c.cycle();
    Reply wrong = checkBounds(changed);
    if (wrong != null) {
      return wrong;
    }
    if (c.restart()) {
      changed.called = false;
      changed.init = c.last();
      changed.last = c.last();
    } else if (changed.init != c.start()) {
      changed.init = c.start();
      changed.last = c.start();
    }
    return put(changed, c.type());
  }

  Reply reset(SequenceCommand.Reset c) {
    Sequence s = byKey.get(c.key());
    if (s == null) {
      return noSuchSequence(c.key());
    }
    s.value = s.init;
    s.last = s.init;
    return put(s, c.type());
  }

  Reply rename(SequenceCommand.Rename c) {
    Sequence s = byKey.get(c.key());
    if (s == null) {
      return noSuchSequence(c.key());
    }
    if (byKey.contains(c.newKey())) {
      return new Reply.Rejected(
          Reason.SEQUENCE_EXISTS,
          "sequence \"" + Names.printable(c.newKey()) + "\" exists already",
          "");
    }
    byKey.remove(c.key());
    byKey.put(s.copyAs(c.newKey()));
    return done(c.type(), c.newKey());
  }

  /**
   * A sequence that is not there counts as dropped: coordinators do not tell when a schema is
   * renamed, and then drop its sequences by names that the GTM never heard. The original answers
   * with an error, and the schema cannot be dropped.
   */
  Reply close(SequenceCommand.Close c) {
    if (byKey.remove(c.key())) {
      applying.did(Effect.FORCED);
    }
    return new SequenceReply.Done(c.type(), c.key());
  }

  Reply closeDatabase(SequenceCommand.CloseDatabase c) {
    String database = c.key();
    int nul = database.indexOf(0);
    if (byKey.removeDatabase(nul < 0 ? database : database.substring(0, nul))) {
      applying.did(Effect.FORCED);
    }
    return new SequenceReply.Done(c.type(), c.key());
  }

  private SequenceReply put(Sequence s, CommandType of) {
    s.restartReservation();
    byKey.put(s);
    return done(of, s.key);
  }

  private SequenceReply done(CommandType of, String key) {
    applying.did(Effect.FORCED);
    return new SequenceReply.Done(of, key);
  }

  private static Reply noSuchSequence(String key) {
    return new Reply.Rejected(
        Reason.NO_SUCH_SEQUENCE,
        "sequence \"" + Names.printable(key) + "\" does not exist at the GTM",
        "");
  }
}
