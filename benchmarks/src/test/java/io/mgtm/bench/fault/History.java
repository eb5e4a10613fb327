package io.mgtm.bench.fault;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.Result;
import org.jetbrains.kotlinx.lincheck.ValueResult;
import org.jetbrains.kotlinx.lincheck.VoidResult;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionResult;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.kotlinx.lincheck.execution.HBClock;
import org.jetbrains.kotlinx.lincheck.execution.ResultWithClock;
import org.jetbrains.kotlinx.lincheck.verifier.linearizability.LinearizabilityVerifier;

/** What clients asked and were answered, and when. */
final class History {
  /**
   * One request.
   *
   * @param method of the specification
   * @param argument null when it takes none
   * @param answer null when it has none
   */
  record Operation(String method, Long argument, Long answer, long askedNanos, long answeredNanos) {
    private Actor actor(Class<?> specification) {
      try {
        Method named =
            argument == null
                ? specification.getMethod(method)
                : specification.getMethod(method, long.class);
        return new Actor(named, argument == null ? List.of() : List.of(argument));
      } catch (NoSuchMethodException e) {
        throw new IllegalArgumentException(e);
      }
    }

    private Result result() {
      return answer == null ? VoidResult.INSTANCE : new ValueResult(answer);
    }
  }

  private final Class<?> specification;
  private final List<List<Operation>> clients;

  /**
   * A history of one object.
   *
   * @param specification what it does when one command comes after the other
   * @param clients each client's operations, in its order
   */
  History(Class<?> specification, List<List<Operation>> clients) {
    this.specification = specification;
    this.clients = clients;
  }

  /** Whether some order of all operations, which keeps what came before what, explains it. */
  boolean isLinearizable() {
    ExecutionScenario scenario =
        new ExecutionScenario(
            List.of(),
            clients.stream()
                .map(ops -> ops.stream().map(op -> op.actor(specification)).toList())
                .toList(),
            List.of());
    List<List<ResultWithClock>> results = new ArrayList<>();
    for (int client = 0; client < clients.size(); client++) {
      List<ResultWithClock> of = new ArrayList<>();
      for (int i = 0; i < clients.get(client).size(); i++) {
        of.add(new ResultWithClock(clients.get(client).get(i).result(), clock(client, i)));
      }
      results.add(of);
    }
    return new LinearizabilityVerifier(specification)
        .verifyResults(scenario, new ExecutionResult(List.of(), results, List.of()));
  }

  /** How many operations of each client were answered before this one was asked. */
  private HBClock clock(int client, int index) {
    long asked = clients.get(client).get(index).askedNanos();
    int[] clock = new int[clients.size()];
    for (int other = 0; other < clock.length; other++) {
      clock[other] =
          other == client
              ? index
              : (int)
                  clients.get(other).stream().filter(o -> o.answeredNanos() - asked < 0).count();
    }
    return new HBClock(clock);
  }

  @Override
  public String toString() {
    return clients.toString();
  }
}
