package io.mgtm.ha.kit;

import io.mgtm.ha.kit.Programs.Ended;
import java.util.ArrayList;
import java.util.List;

/** A coordinator or datanode of Postgres-XC: a PostgreSQL whose {@code pg_ctl} is told which. */
final class XcNodeKit extends PostgresqlKit {
  private static final String DATANODE = "datanode";

  @Override
  public String name() {
    return "xc-node";
  }

  @Override
  public List<Parameter> parameters() {
    List<Parameter> parameters = new ArrayList<>();
    parameters.add(DATA);
    parameters.add(new Parameter("role", true, "", "coordinator or datanode"));
    super.parameters().stream().filter(one -> !one.required()).forEach(parameters::add);
    return parameters;
  }

  @Override
  public void inService(KitContext context) throws KitException, InterruptedException {
    String role = context.parameters().get("role");
    if (!List.of("coordinator", DATANODE).contains(role)) {
      throw new KitException(
          "role \"%s\" of %s is none: expected coordinator or datanode"
              .formatted(role, context.resource()));
    }
    super.inService(context);
  }

  @Override
  List<String> startArguments(KitContext context) {
    return List.of("-Z", context.parameters().get("role"));
  }

  /** A datanode takes writes from coordinators only; a coordinator passes them on. */
  @Override
  public Health deepCheck(KitContext context) throws KitException, InterruptedException {
    if (!DATANODE.equals(context.parameters().get("role"))) {
      return super.deepCheck(context);
    }
    Health quick = quickCheck(context);
    if (quick.state() != Health.State.IN_SERVICE) {
      return quick;
    }
    Ended read = sql(context, Deadline.of(context), "select count(*) from pg_class");
    return read.status() == 0
        ? Health.in(quick.detail() + ", answered a query")
        : Health.failed("a query failed" + Programs.said(read.output()));
  }
}
