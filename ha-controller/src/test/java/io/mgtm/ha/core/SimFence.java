package io.mgtm.ha.core;

/**
 * A fence agent at work: in its own time it switches a machine off, or fails to, or hangs. It says
 * that the machine is off only if it is when it looks; what it says may come much later, when the
 * machine is up again.
 */
final class SimFence {
  private static final int TIMEOUT_MS = 12_000;

  private final Sim sim;
  private final SimMachine target;
  private final boolean acts;
  private final boolean ends;
  private boolean ended;

  SimFence(Sim sim, SimProcess by, SimMachine target, long request) {
    this.sim = sim;
    this.target = target;
    boolean well = sim.plant != Plant.FENCE_FAILED && !sim.oneIn(4);
    // One that fails may have switched it off all the same.
    this.acts = well || sim.oneIn(3);
    this.ends = !sim.oneIn(6);
    int offMs = sim.oneIn(3) ? sim.between(300, 8_000) : sim.between(10, 300);
    int lateMs = sim.oneIn(2) ? sim.between(100, 12_000) : sim.between(0, 5);
    sim.after(offMs, this::switchOff);
    sim.after(
        ends ? offMs + sim.between(5, 200) : TIMEOUT_MS,
        () -> {
          boolean off = ends && well && !target.up;
          FenceAnswer answer = new FenceAnswer(request, target.name, off, "a simulated agent");
          sim.after(
              lateMs,
              () -> {
                sim.answered.accept(target.name);
                sim.after(sim.between(1, 60), () -> by.run(() -> by.fenced(answer)));
              });
        });
  }

  private void switchOff() {
    if (acts && !ended) {
      sim.trace("an agent switches off", target.name);
      target.crash();
    }
  }

  /** Ends it, which may be too late. */
  void end() {
    ended = ended || sim.oneIn(2);
  }
}
