package io.mgtm.bench.tpcc;

import io.mgtm.bench.tpcc.Conditions.Difference;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code mgtm bench tpcc check}. */
@Command(
    name = "check",
    description = {
      "Looks whether the consistency conditions 1 to 4 of the specification hold (clause 3.3.2).",
      "Exit status 1 when one does not, with the places and values that differ."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class TpccCheckCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private TpccTarget target;

  @Override
  public Integer call() throws IOException {
    List<Difference> differences = differences(target);
    PrintWriter out = spec.commandLine().getOut();
    print(out, differences.size(), differences);
    out.flush();
    return differences.isEmpty() ? 0 : 1;
  }

  /** Reads a loaded database at one moment. */
  static List<Difference> differences(TpccTarget target) throws IOException {
    Sessions sessions =
        target.sessions(Connection.TRANSACTION_REPEATABLE_READ, TpccLoadCommand.STATEMENT_S);
    try (Session session = sessions.open()) {
      Population population = Loaded.read(session);
      Facts facts = Facts.read(session);
      if (facts.paid().size() != population.warehouses()) {
        throw new IOException(
            "%d warehouses were loaded, and %d are there"
                .formatted(population.warehouses(), facts.paid().size()));
      }
      return Conditions.differences(facts);
    } catch (SQLException e) {
      throw SqlErrors.sentence("the tables cannot be read", e);
    }
  }

  static void print(PrintWriter out, long count, List<Difference> differences) {
    out.println(
        count == 0
            ? "consistency conditions 1 to 4 hold"
            : "consistency conditions do not hold in " + count + " places");
    differences.forEach(out::println);
  }
}
