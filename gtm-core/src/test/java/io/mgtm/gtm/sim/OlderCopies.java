package io.mgtm.gtm.sim;

import io.mgtm.group.core.DurabilityState;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.storage.SimulatedDisk;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A member is started on an older copy of its folder, which the leader notices that it has answered
 * before; a third member has not heard of what that one alone had beside the leader. Then the
 * leader dies. Who is not told by such a leader cannot know, so that one lives, and the member
 * hears nobody else, until it is told.
 */
final class OlderCopies extends OldFolders {
  private static final int UNTOLD_MS = 60;

  /** A copy that lacks nothing tells nobody anything. */
  private static final int PATIENCE_MS = 1_000;

  private final boolean told;
  private SimHost host;
  private UUID folder;
  private Map<String, byte[]> copy;

  /** The last entry in it. */
  private long copied;

  OlderCopies(Simulation simulation, long seed) {
    super(simulation, seed);
    this.told = simulation.scenario.fault() != Fault.OLDER_COPY_NOT_TOLD;
  }

  /** Whether there are any in a schedule. */
  static boolean areIn(Scenario scenario, long seed) {
    boolean three = scenario.size() == 3 && !scenario.witnessed() && !scenario.harsh();
    boolean wanted =
        scenario.fault() == Fault.OLDER_COPY_NOT_TOLD
            || (scenario.fault() == Fault.NONE && seed % 4 == 2);
    return three && !scenario.isLazy() && wanted;
  }

  /** In mode total it must be started again. */
  @Override
  boolean stops(SimHost stopping) {
    boolean copied = underWay && stopping == host;
    if (copied) {
      world.afterMs(5, () -> simulation.startAgain(host));
    }
    return copied;
  }

  @Override
  void begin() {
    world.afterMs(50 + random.nextInt(400), this::copy);
  }

  private void copy() {
    SimNode leader = simulation.leader();
    List<SimHost> others =
        simulation.hosts().values().stream()
            .filter(each -> leader != null && each != leader.host && each.isUp())
            .toList();
    if (others.isEmpty()) {
      beginAgain();
      return;
    }
    host = others.get(random.nextInt(others.size()));
    folder = host.folder;
    copy = host.disk.snapshot();
    copied = last();
    world.afterMs(random.nextInt(200), this::calm);
  }

  /** The group is whole for a moment, with a leader that has heard the member. */
  private void calm() {
    SimNode leader = simulation.leader();
    boolean whole =
        leader != null
            && leader.host != host
            && host.folder.equals(folder)
            && simulation.hosts().size() == 3
            && simulation.hosts().values().stream().allMatch(this::isUnhurt);
    if (!whole) {
      beginAgain();
      return;
    }
    underWay = true;
    simulation.network.hold();
    simulation.hosts().values().forEach(SimHost::crashNot);
    if (random.nextBoolean()) {
      startAgain(host);
    }
    world.afterMs(150, () -> cut(leader, leader.status().term()));
  }

  private boolean follows(long term) {
    SimNode node = simulation.node(host.name);
    return node.isAlive()
        && node.isOpen()
        && node.status().term() == term
        && !node.status().leader().isEmpty();
  }

  private void cut(SimNode leader, long term) {
    if (!leads(leader, term) || !follows(term)) {
      end();
      return;
    }
    for (String other : simulation.names()) {
      if (!other.equals(host.name) && !other.equals(leader.host.name)) {
        simulation.network.cutBoth(other, host.name);
        simulation.network.cutBoth(other, leader.host.name);
      }
    }
    world.afterMs(60, () -> start(leader, term));
  }

  private void start(SimNode leader, long term) {
    boolean lacksNothing = last() == copied; // its disk may be full; nobody would tell it
    if (!leads(leader, term)
        || !follows(term)
        || lacksNothing
        || leader.status().committedIndex()
            > simulation.node(host.name).status().committedIndex() + 200) {
      end();
      return;
    }
    world.trace("%s is started on an older copy of its folder", host.name);
    world.note(Happening.COPY_STARTED);
    SimulatedDisk newest = host.disk;
    host.kill();
    host.disk = diskOf(copy);
    world.afterMs(5, () -> simulation.startAgain(host));
    watch(leader, term, newest, world.nowMs());
  }

  private long last() {
    GroupStatus status = simulation.node(host.name).status();
    return status == null ? 0 : status.lastIndex(); // it has not opened its folder yet
  }

  private void watch(SimNode leader, long term, SimulatedDisk newest, long sinceMs) {
    SimNode node = simulation.node(host.name);
    boolean knows =
        told
            ? node.isAlive()
                && node.isOpen()
                && node.status().durabilityState() == DurabilityState.OLDER_COPY
            : world.nowMs() - sinceMs >= UNTOLD_MS;
    if (knows) {
      world.trace("%s is told", host.name);
      world.note(Happening.COPY_TOLD);
      host.mayHaveLost = true;
      end();
      if (!told || random.nextInt(3) > 0) {
        leader.host.kill();
      }
    } else if (!leads(leader, term)) {
      host.kill();
      host.disk = newest;
      end();
    } else if (world.nowMs() - sinceMs >= PATIENCE_MS) {
      end();
    } else {
      world.afterMs(1, () -> watch(leader, term, newest, sinceMs));
    }
  }
}
