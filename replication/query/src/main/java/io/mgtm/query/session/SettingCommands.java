package io.mgtm.query.session;

import io.mgtm.query.sql.Refusal;
import io.mgtm.query.sql.Setting;
import io.mgtm.query.sql.Statement;
import io.mgtm.query.sql.Token;
import io.mgtm.query.wire.ErrorFields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Runs the commands about settings: at the session's server, whose answer the client gets, and then
 * at all others. Belongs to a session.
 */
final class SettingCommands {
  /** Types of parameters that are texts or Booleans; 0 where none is given. */
  private static final Set<Integer> TEXTS = Set.of(0, 16, 25, 705, 1043);

  /** What is of the session's own transaction; those of other servers are of another kind. */
  private static final Set<String> OF_TRANSACTION =
      Set.of("transaction_isolation", "transaction_deferrable");

  private final ReplicatedSession session;
  private final ServerSet set;
  private final UnitRun run;
  private final UtilityCommands utilities;

  SettingCommands(ReplicatedSession session, UnitRun run, UtilityCommands utilities) {
    this.session = session;
    this.set = session.set();
    this.run = run;
    this.utilities = utilities;
  }

  /**
   * What servers that know a setting are given.
   *
   * @param sql one of them, which can stand in a list after {@code verb}
   * @param setting its name; null where all are given it
   */
  private record Given(String verb, String sql, String setting) {
    boolean isFor(Backend server) {
      return setting == null || server.node().kind().knows(setting);
    }
  }

  /** SET, RESET, DISCARD, DEALLOCATE ALL: it holds at all servers, or ends with its transaction. */
  void set(Segment segment) {
    Statement statement = segment.command().statement();
    boolean readOnly =
        (statement.has("only") && !statement.has("characteristics"))
            || statement.has("transaction_read_only");
    if (readOnly && !set.redo().isEmpty()) {
      run.fail(
          ErrorFields.error("0A000", "a transaction that has written cannot be made READ ONLY")
              .withHint("The leader notes in the transaction that it commits."));
      return;
    }
    if (set.isReadOnly() && mayWriteAgain(statement)) {
      run.fail(
          ErrorFields.error("0A000", "a transaction that began as READ ONLY stays so")
              .withHint("It may run at another server than the leader. Use BEGIN."));
      return;
    }
    if (set.home() != null && set.readers().isAtFollower() && mayBeSerializable(statement)) {
      run.fail(
          ErrorFields.error("0A000", "transactions that are SERIALIZABLE are the leader's")
              .withHint("Use BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY."));
      return;
    }
    boolean all = statement.endsWith("all");
    boolean deallocate = statement.word(0).equals("deallocate");
    boolean discard = all && statement.word(0).equals("discard");
    boolean leaders =
        (statement.word(1).equals("transaction") && !statement.has("session"))
            || OF_TRANSACTION.contains(name(statement).toLowerCase(Locale.ROOT));
    run(
        segment,
        leaders ? List.of() : List.of(new Given("", statement.text(), listed(statement))),
        () -> {
          noteSet(statement);
          set.isolation().maySet(statement);
          if (deallocate || discard) {
            session.forgetStatements();
          }
          if (discard) {
            set.keepAt(null);
            set.cursors().forget();
          }
        });
  }

  /** {@code SET a.b = …} is of a setting that servers do not list. */
  private void noteSet(Statement statement) {
    int at = nameAt(statement);
    StringBuilder name = new StringBuilder(statement.word(at));
    List<Token> tokens = statement.tokens();
    for (int i = at + 1; i + 1 < tokens.size() && tokens.get(i).text().equals("."); i += 2) {
      name.append('.').append(statement.word(i + 1));
    }
    if (statement.word(0).equals("set")) {
      noteSet(name.toString());
    }
  }

  private void noteSet(String name) {
    set.isolation().maySet(name);
    if (name.indexOf('.') > 0) {
      session.settings().custom(name);
    }
  }

  /** What {@code set_config} sets, whose arguments may be parameters. */
  void called(Segment segment) {
    if (segment.setsLocally() && run.isWrapped()) {
      run.awaited().inTransaction("BEGIN", () -> call(segment));
    } else {
      call(segment);
    }
  }

  private void call(Segment segment) {
    List<String> parameters = parameters(segment);
    List<Given> given = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (Setting one : segment.command().statement().settings()) {
      boolean known = parameters != null && one.isGiven(parameters.size());
      String name = known ? one.name().value(parameters) : null;
      Refusal refusal =
          name == null
              ? new Refusal(
                  "what is set here is not known", "Give texts, bound since the last Sync.")
              : Refusal.of(name, one.value().value(parameters));
      if (refusal != null) {
        run.fail(UnitOutput.error(refusal));
        return;
      }
      names.add(name);
      given.add(new Given("SELECT ", one.sql(parameters), listed(name)));
    }
    run(segment, given, () -> names.forEach(this::noteSet));
  }

  /** As texts; null where they are not known, or something else. */
  private List<String> parameters(Segment segment) {
    if (segment.simple() != null) {
      return List.of();
    }
    Step execute =
        segment.steps().stream().filter(step -> step.type() == 'E').findFirst().orElseThrow();
    Step bind = run.binds().of(execute);
    boolean texts = Arrays.stream(segment.command().types()).allMatch(TEXTS::contains);
    return bind == null || !texts ? null : bind.texts(session.planner().charset());
  }

  /** The session's server first, whose answer the client gets. */
  private void run(Segment segment, List<Given> given, Runnable noted) {
    Backend home = set.home();
    Backend at = set.homeOrLeader();
    run.sender()
        .send(
            at,
            segment,
            (relay, status) -> {
              if (relay.error() != null) {
                run.ended(relay, status);
                return;
              }
              set.timeouts().maySet();
              noted.run();
              if (given.isEmpty()) {
                run.ended(relay, status);
              } else if (home == null) {
                utilities.everywhere(
                    at,
                    other -> text(given, other),
                    this::endSession,
                    () -> run.ended(relay, status));
              } else {
                give(relay, segment, given);
                run.ended(relay, status);
              }
            });
  }

  /** To the others, as part of the transaction. */
  private void give(Relay relay, Segment segment, List<Given> given) {
    if (segment.command().statement().word(1).equals("constraints")) {
      relay.effects().text(segment.command(), relay.tag());
    } else {
      for (Given one : given) {
        relay
            .effects()
            .setting(
                Prepared.effect("", one.verb() + one.sql()),
                one.verb().isEmpty() ? relay.tag() : "SELECT 1",
                one.setting());
      }
    }
    relay.effects().withoutTimeouts();
  }

  /** Null where it knows none of these. */
  private static String text(List<Given> given, Backend other) {
    List<Given> known = given.stream().filter(one -> one.isFor(other)).toList();
    return known.isEmpty()
        ? null
        : known.stream().map(Given::sql).collect(Collectors.joining(", ", known.get(0).verb(), ""));
  }

  /**
   * The setting that a command is about, where the session's server lists it: one of another
   * version may not know it, and does without. Null for what has no name of its own, as a role has.
   */
  private String listed(Statement statement) {
    return listed(name(statement));
  }

  /** The first part of what SET or RESET names. */
  private static String name(Statement statement) {
    return statement.word(nameAt(statement));
  }

  private static int nameAt(Statement statement) {
    return statement.word(1).equals("session") || statement.word(1).equals("local") ? 2 : 1;
  }

  private String listed(String setting) {
    String name = setting.toLowerCase(Locale.ROOT);
    return set.homeOrLeader().node().kind().knows(name) ? name : null;
  }

  /** A backslash may hide the level, and none has one. */
  private static boolean mayBeSerializable(Statement statement) {
    String text = statement.text().toLowerCase(Locale.ROOT);
    boolean level = statement.word(1).equals("transaction") || text.contains("transaction_isol");
    return level && (text.contains("serializable") || text.contains("\\"));
  }

  private static boolean mayWriteAgain(Statement statement) {
    return statement.word(0).equals("reset")
        ? statement.has("transaction_read_only")
        : statement.has("write") && !statement.has("characteristics");
  }

  private void endSession(Backend at, ErrorFields refused) {
    session.end(
        ErrorFields.fatal(
            refused.sqlState(), "the server at " + at.node() + " refused: " + refused.message()));
  }
}
