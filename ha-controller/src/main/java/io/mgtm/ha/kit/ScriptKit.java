package io.mgtm.ha.kit;

import io.mgtm.ha.kit.Programs.Ended;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Anything that commands of the operator's start, stop and check. */
final class ScriptKit implements Kit {
  /** What {@code status} answers for what is not running, as the Linux Standard Base says. */
  private static final int NOT_RUNNING = 3;

  private static final int GUARD_MS = 1_000;

  @Override
  public String name() {
    return "script";
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(
        new Parameter("start", true, "", "the command that brings it in service"),
        new Parameter("stop", true, "", "the command that takes it out of service"),
        new Parameter(
            "status", true, "", "the command that ends with 0 when in service, 3 when out"),
        new Parameter("check", false, "", "a deeper check that ends with 0; by default status"),
        new Parameter("recover", false, "", "repairs it; by default stop and start"),
        new Parameter("guard", false, "", "ends it at once, 0 when nothing is left of it"),
        new Parameter("pidFile", false, "", "a file with the pid that the watchdog kills"),
        new Parameter("user", false, "", "whom the commands run as; by default the controller"));
  }

  private static Ended run(KitContext context, String what)
      throws KitException, InterruptedException {
    Program program =
        Program.shell(Deadline.of(context), context.parameters().get(what))
            .as(context.parameters().getOrDefault("user", ""))
            .with(told(context, what));
    boolean starts = what.equals("start") || what.equals("recover");
    return Programs.run(starts ? program.joining(context) : program);
  }

  private static Map<String, String> told(KitContext context, String what) {
    Map<String, String> told = new LinkedHashMap<>();
    told.put("MGTM_HIERARCHY", context.hierarchy());
    told.put("MGTM_RESOURCE", context.resource());
    told.put("MGTM_NODE", context.node());
    told.put("MGTM_RUNTIME", context.runtime().toString());
    told.put("MGTM_ACTION", what.toLowerCase(Locale.ROOT));
    return told;
  }

  @Override
  public void inService(KitContext context) throws KitException, InterruptedException {
    run(context, "start").succeeded();
  }

  @Override
  public void outOfService(KitContext context) throws KitException, InterruptedException {
    run(context, "stop").succeeded();
    if (run(context, "status").status() == 0) {
      throw new KitException("stop ended with 0, and status says that it is in service still");
    }
    Cgroup.remove(context);
  }

  @Override
  public Health quickCheck(KitContext context) throws KitException, InterruptedException {
    Ended status = run(context, "status");
    return switch (status.status()) {
      case 0 -> Health.in("status 0");
      case NOT_RUNNING -> Health.out("status 3");
      default -> failed(status);
    };
  }

  private static Health failed(Ended ended) {
    return Health.failed("status " + ended.status() + Programs.said(ended.output()));
  }

  @Override
  public Health deepCheck(KitContext context) throws KitException, InterruptedException {
    Health quick = quickCheck(context);
    if (quick.state() != Health.State.IN_SERVICE || !context.parameters().containsKey("check")) {
      return quick;
    }
    Ended check = run(context, "check");
    return check.status() == 0 ? Health.in("check passed") : failed(check);
  }

  @Override
  public void localRecover(KitContext context) throws KitException, InterruptedException {
    if (context.parameters().containsKey("recover")) {
      run(context, "recover").succeeded();
    } else {
      Kit.super.localRecover(context);
    }
  }

  @Override
  public List<GuardStep> guard(KitContext context) {
    List<GuardStep> steps = new ArrayList<>(Cgroup.guard(context));
    Map<String, String> given = context.parameters();
    if (given.containsKey("pidFile")) {
      steps.add(new GuardStep.KillPidFile(given.get("pidFile")));
    }
    if (guardMs(given) > 0) {
      String what = given.containsKey("guard") ? "guard" : "stop";
      List<String> command = new ArrayList<>(Program.asUser(given.getOrDefault("user", "")));
      command.add("/usr/bin/env");
      told(context, what).forEach((name, value) -> command.add(name + "=" + value));
      command.addAll(List.of("/bin/sh", "-c", given.get(what)));
      steps.add(new GuardStep.Run(command, GUARD_MS));
    }
    return steps;
  }

  @Override
  public int guardMs(Map<String, String> given) {
    return given.containsKey("guard") || !given.containsKey("pidFile") ? GUARD_MS : 0;
  }
}
