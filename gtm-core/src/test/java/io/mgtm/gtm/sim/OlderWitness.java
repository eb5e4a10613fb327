package io.mgtm.gtm.sim;

import java.util.Map;
import java.util.UUID;

/**
 * The line within a pair is cut, and the leader goes on with the witness alone. Then the witness is
 * started on an older copy of its folder; it reaches both, and the other member asks for its vote.
 * When it has what it had acknowledged, the leader dies. While it has not heard the leader nothing
 * is lost on the way, or as much is promised as when there is no leader.
 */
final class OlderWitness extends OldFolders {
  private SimHost host;
  private UUID folder;
  private Map<String, byte[]> copy;

  OlderWitness(Simulation simulation, long seed) {
    super(simulation, seed);
  }

  /** Whether that is in a schedule. */
  static boolean isIn(Scenario scenario, long seed) {
    boolean wanted =
        scenario.fault() == Fault.WITNESS_VOTES_AT_ITS_START
            || (scenario.fault() == Fault.NONE && seed % 4 == 2);
    return scenario.witnessed()
        && !scenario.quorumDisk()
        && !scenario.harsh()
        && !scenario.isLazy()
        && wanted;
  }

  @Override
  void begin() {
    simulation.network.disturb(true);
    world.afterMs(50 + random.nextInt(300), this::copy);
  }

  private void copy() {
    host = simulation.hosts().get(simulation.witness);
    folder = host.folder;
    copy = host.disk.snapshot();
    world.afterMs(random.nextInt(300), this::calm);
  }

  private void calm() {
    SimNode leader = simulation.leader();
    if (leader == null || !host.folder.equals(folder) || !isWhole(leader)) {
      beginAgain();
      return;
    }
    underWay = true;
    simulation.network.hold();
    simulation.network.disturb(false);
    simulation.hosts().values().forEach(SimHost::crashNot);
    for (int starts = random.nextInt(3); starts > 0; starts--) {
      world.afterMs(50L * starts, () -> startAgain(host));
    }
    world.afterMs(250, () -> cut(leader, leader.status().term()));
  }

  private boolean isWhole(SimNode leader) {
    return leader.voters().size() == 3
        && simulation.hosts().values().stream()
            .allMatch(
                each ->
                    isUnhurt(each)
                        && leader.voters().contains(each.name)
                        && simulation.node(each.name).isOpen()
                        && simulation.node(each.name).status().term() == leader.status().term());
  }

  private void cut(SimNode leader, long term) {
    if (!leads(leader, term) || !isWhole(leader)) {
      end();
      return;
    }
    for (String other : simulation.names()) {
      if (!other.equals(host.name) && !other.equals(leader.host.name)) {
        simulation.network.cutBoth(other, leader.host.name);
      }
    }
    world.afterMs(150 + random.nextInt(100), () -> start(leader, term));
  }

  private void start(SimNode leader, long term) {
    if (!leads(leader, term) || !host.isUp()) {
      end();
      return;
    }
    world.trace("%s is started on an older copy of its folder", host.name);
    world.note(Happening.WITNESS_COPY_STARTED);
    host.kill();
    host.disk = diskOf(copy);
    long covered = leader.status().committedIndex();
    world.afterMs(5, () -> simulation.startAgain(host));
    world.afterMs(10, () -> watch(leader, term, covered));
  }

  private void watch(SimNode leader, long term, long covered) {
    SimNode node = simulation.node(host.name);
    boolean knows = node.isAlive() && node.isOpen() && node.status().lastIndex() >= covered;
    if (!leads(leader, term) || knows) {
      world.trace("%s has what it acknowledged: %s", host.name, knows);
      if (random.nextInt(3) > 0) {
        leader.host.kill();
      }
      end();
    } else {
      world.afterMs(1, () -> watch(leader, term, covered));
    }
  }
}
