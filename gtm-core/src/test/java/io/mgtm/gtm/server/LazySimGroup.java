package io.mgtm.gtm.server;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.state.CheckpointEncoder;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.state.Limits;
import io.mgtm.gtm.wire.link.Standing;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Members of a group of mode lazy with their real engines and states. A leader that dies takes with
 * it what had not arrived at the most advanced of the others.
 */
final class LazySimGroup {
  private static final int WAIT_MS = 2_000;
  private static final int SEQUENCES = 3;

  /** Where checkpoints have the recent global xmin: behind version, gxids, latest completed. */
  private static final int RECENT_XMIN_AT = Short.BYTES + 6 * Long.BYTES;

  /** One member: its log as far as it got, and, while it leads, the engine. */
  static final class Member {
    final String name;
    final LazySimLog log;
    boolean up = true;

    /** How much of the leader's log has arrived. */
    int received;

    GtmStateMachine machine;
    LinkEngine engine;

    Member(String name, LazySimGroup group) {
      this.name = name;
      this.log = new LazySimLog(group);
    }
  }

  private final LazySimTime time;
  private final RandomGenerator random;
  private final LazySimFault fault;
  private final List<Member> members = new ArrayList<>();
  private final List<LazySimFront> fronts;
  private final List<LazySimFront> forgetful;
  private final Consumer<Member> restarted;
  private Member leader;
  private long term;
  private boolean ticking;

  LazySimGroup(
      LazySimTime time,
      RandomGenerator random,
      LazySimFault fault,
      int size,
      List<LazySimFront> fronts,
      List<LazySimFront> forgetful,
      Consumer<Member> restarted) {
    this.time = time;
    this.random = random;
    this.fault = fault;
    this.fronts = fronts;
    this.forgetful = forgetful;
    this.restarted = restarted;
    for (int i = 1; i <= size; i++) {
      members.add(new Member("g" + i, this));
    }
  }

  Member leader() {
    return leader;
  }

  List<Member> members() {
    return members;
  }

  /** A member begins to lead, with what it has. */
  private void lead(Member next, boolean lossy) {
    leader = next;
    term++;
    for (Member other : members) {
      if (other != next && other.up) {
        other
            .log
            .entries
            .subList(
                Math.min(other.log.entries.size(), next.log.entries.size()),
                other.log.entries.size())
            .clear();
        other.received = other.log.entries.size();
      }
    }
    next.log.lead(lossy);
    next.machine = replay(next.log.entries);
    next.engine = engine(next);
    Member here = next;
    awaitAll(
        () -> {
          if (leader == here) {
            here.engine.leading();
            fronts.forEach(front -> front.standing(here, term));
            forgetful.forEach(front -> front.standing(here, term));
          }
        });
    deliverSoon();
  }

  static GtmStateMachine replay(List<LazySimLog.Entry> entries) {
    GtmStateMachine machine = new GtmStateMachine(GtmState.empty(), true, () -> {});
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).isLossyStart()) {
        machine.entriesMayBeMissing(i + 1L);
      } else {
        machine.apply(i + 1L, ByteBuffer.wrap(entries.get(i).bytes()));
      }
    }
    return machine;
  }

  /** A term start is REQUIRED: nothing is served before all have it. */
  private void awaitAll(Runnable then) {
    Member here = leader;
    if (leader.log.stableIndex() >= leader.log.lastIndex() || others().isEmpty()) {
      then.run();
    } else {
      time.after(
          200,
          () -> {
            if (leader == here) {
              awaitAll(then);
            }
          });
    }
  }

  private List<Member> others() {
    return members.stream().filter(m -> m.up && m != leader).toList();
  }

  private LinkEngine engine(Member member) {
    List<Command> first = new ArrayList<>();
    for (int i = 0; i < SEQUENCES; i++) {
      first.add(new SequenceCommand.Restore("s" + i, 1, 1, Long.MAX_VALUE - 1, 1, 1, false, false));
    }
    first.add(new TransactionCommand.StartGxids(10_000, 3));
    int waitMs = fault == LazySimFault.NO_WAIT ? 0 : WAIT_MS;
    return new LinkEngine(
        new LinkSetup(
            member.name,
            () -> new Standing(member == leader, term, member.name, member.name, "h:1"),
            () -> "h:1",
            Limits.NONE,
            first,
            null,
            100,
            Integer.MAX_VALUE,
            new LazyLeader.Settings(
                waitMs, (ms, task) -> time.after(1_000L * ms, ifLeads(member, task))),
            null),
        member.machine,
        member.log,
        task -> time.after(random.nextInt(200), ifLeads(member, task)),
        new EngineTime(time::micros, () -> time.micros() * 1_000),
        new GtmMetrics(new SimpleMeterRegistry()),
        e -> {
          throw new LazySimViolation("the engine stops: " + e, e);
        });
  }

  /** It is computed anew for each snapshot. */
  private static byte[] withoutRecentXmin(byte[] checkpoint) {
    Arrays.fill(checkpoint, RECENT_XMIN_AT, RECENT_XMIN_AT + Long.BYTES, (byte) 0);
    return checkpoint;
  }

  private Runnable ifLeads(Member member, Runnable task) {
    LinkEngine engine = member.engine;
    long ofTerm = term;
    return () -> {
      if (leader == member && term == ofTerm && (engine == null || engine == member.engine)) {
        task.run();
      }
    };
  }

  /** The leader has something for the others. */
  void appended() {
    time.after(20, this::sent);
    deliverSoon();
  }

  private void deliverSoon() {
    if (!ticking) {
      ticking = true;
      time.after(
          50 + random.nextInt(600),
          () -> {
            ticking = false;
            deliver();
          });
    }
  }

  /** Some of what is on its way arrives, at each of the others another part. */
  private void deliver() {
    if (leader == null) {
      return;
    }
    long had = leader.log.lastIndex();
    boolean more = false;
    for (Member other : others()) {
      int missing = leader.log.entries.size() - other.received;
      int arrives = random.nextInt(3) == 0 ? random.nextInt(missing + 1) : missing;
      for (int i = 0; i < arrives; i++) {
        other.log.entries.add(leader.log.entries.get(other.received));
        other.received++;
      }
      had = Math.min(had, other.received);
      more |= arrives < missing;
    }
    leader.log.had(had);
    if (leader.engine != null && leader.engine.isServing()) {
      leader.engine.release();
    }
    if (more) {
      deliverSoon();
    }
  }

  /** A buffered entry is committed as soon as it is sent, long before it arrives. */
  private void sent() {
    if (leader != null && leader.engine != null && leader.engine.isServing()) {
      leader.log.advance();
      leader.engine.release();
    }
  }

  /** The first leader. */
  void start() {
    lead(members.get(0), false);
  }

  /** Whether the leader may die and another one go on. */
  boolean canLoseLeader() {
    return leader != null && leader.engine != null && !others().isEmpty();
  }

  /** The leader dies; the most advanced of the others leads a little later. */
  Member killLeader() {
    Member dead = leader;
    leader = null;
    dead.up = false;
    if (dead.engine != null) {
      dead.engine.following();
      dead.engine = null;
    }
    fronts.forEach(front -> front.broken(dead));
    time.after(
        30_000 + random.nextInt(50_000),
        () -> {
          Member best = null;
          for (Member other : members) {
            if (other.up && (best == null || other.received > best.received)) {
              best = other;
            }
          }
          lead(best, true);
        });
    time.after(60_000 + random.nextInt(100_000), () -> rejoin(dead));
    return dead;
  }

  /** How a front finds the leader that it is not told of any more. */
  void tell(LazySimFront front) {
    if (leader != null && leader.engine != null) {
      front.standing(leader, term);
    }
  }

  private void rejoin(Member back) {
    if (leader == null || leader.engine == null || !leader.engine.isServing()) {
      time.after(50_000, () -> rejoin(back));
      return;
    }
    back.log.entries.clear();
    back.log.entries.addAll(leader.log.entries);
    back.received = back.log.entries.size();
    back.up = true;
    restarted.accept(back);
    deliverSoon();
  }

  /** The state is that of the log, apart from what snapshots without effect leave behind. */
  void checkEqual() {
    byte[] state = withoutRecentXmin(CheckpointEncoder.encode(leader.machine.state()));
    byte[] replayed =
        withoutRecentXmin(CheckpointEncoder.encode(replay(leader.log.entries).state()));
    if (!Arrays.equals(state, replayed)) {
      throw new LazySimViolation(
          "the leader's state is not that of its log, from byte "
              + Arrays.mismatch(state, replayed));
    }
  }
}
