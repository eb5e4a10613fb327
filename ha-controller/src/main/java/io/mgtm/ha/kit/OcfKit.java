package io.mgtm.ha.kit;

import io.mgtm.ha.kit.OcfAgent.MetaData;
import io.mgtm.ha.kit.Programs.Ended;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An OCF resource agent, run as the program it is. What it may be told it says itself. */
public final class OcfKit implements Kit {
  /** Exit codes, as the OCF resource agent API says. */
  private static final int SUCCESS = 0;

  private static final int NOT_RUNNING = 7;
  private static final int PROMOTED = 8;
  private static final int GUARD_MS = 3_000;

  private final OcfAgent agent;
  private MetaData meta;

  OcfKit(OcfAgent agent) {
    this.agent = agent;
  }

  @Override
  public String name() {
    return agent.name();
  }

  private synchronized MetaData meta() throws KitException, InterruptedException {
    if (meta == null) {
      meta = agent.metaData();
    }
    return meta;
  }

  /** Those of the agent's own meta-data; none when it cannot be asked. */
  @Override
  public List<Parameter> parameters() {
    try {
      return meta().parameters();
    } catch (KitException e) {
      return List.of();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }

  private Ended run(KitContext context, String action, Map<String, String> more)
      throws KitException, InterruptedException {
    Map<String, String> environment = new LinkedHashMap<>(agent.environment(context));
    environment.put("OCF_RESKEY_CRM_meta_timeout", Long.toString(context.deadlineMs()));
    environment.putAll(more);
    Program program =
        Program.of(Deadline.of(context), agent.path().toString(), action).with(environment);
    return Programs.run(action.equals("start") ? program.joining(context) : program);
  }

  private void succeeded(KitContext context, String action)
      throws KitException, InterruptedException {
    Ended ended = run(context, action, Map.of());
    if (ended.status() != SUCCESS) {
      throw new KitException(
          "%s of %s failed: %s%s"
              .formatted(action, name(), meaning(ended.status()), Programs.said(ended.output())));
    }
  }

  @Override
  public void inService(KitContext context) throws KitException, InterruptedException {
    if (quickCheck(context).state() != Health.State.IN_SERVICE) {
      succeeded(context, "start");
    }
  }

  @Override
  public void outOfService(KitContext context) throws KitException, InterruptedException {
    succeeded(context, "stop");
    Cgroup.remove(context);
  }

  @Override
  public Health quickCheck(KitContext context) throws KitException, InterruptedException {
    return monitor(context, "0");
  }

  /** The deepest monitor that the agent has. */
  @Override
  public Health deepCheck(KitContext context) throws KitException, InterruptedException {
    return monitor(context, Integer.toString(meta().deepestMonitor()));
  }

  private Health monitor(KitContext context, String depth)
      throws KitException, InterruptedException {
    Ended ended = run(context, "monitor", Map.of("OCF_CHECK_LEVEL", depth));
    return switch (ended.status()) {
      case SUCCESS -> Health.in("monitor of depth " + depth);
      case PROMOTED -> Health.in("monitor of depth " + depth + ", promoted");
      case NOT_RUNNING -> Health.out("not running");
      default -> Health.failed(meaning(ended.status()) + Programs.said(ended.output()));
    };
  }

  private static String meaning(int status) {
    return switch (status) {
      case 1 -> "it is not well (1)";
      case 2 -> "a parameter is wrong (2)";
      case 3 -> "the agent cannot do that (3)";
      case 4 -> "it lacks a permission (4)";
      case 5 -> "a program that it needs is not installed (5)";
      case 6 -> "it is not configured as it must be (6)";
      case NOT_RUNNING -> "it is not running (7)";
      case 9 -> "it failed while promoted (9)";
      default -> "status " + status;
    };
  }

  /** What {@code start} has left running; then the agent's own stop, for what is no process. */
  @Override
  public List<GuardStep> guard(KitContext context) {
    List<GuardStep> steps = new ArrayList<>(Cgroup.guard(context));
    steps.add(new GuardStep.Run(agent.command(context, "stop"), GUARD_MS));
    return steps;
  }

  @Override
  public int guardMs(Map<String, String> parameters) {
    return GUARD_MS;
  }
}
