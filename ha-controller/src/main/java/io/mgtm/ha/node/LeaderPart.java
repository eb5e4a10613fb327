package io.mgtm.ha.node;

import io.mgtm.group.LogException;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.member.MemberLog;
import io.mgtm.ha.core.Batch;
import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.core.FenceAnswer;
import io.mgtm.ha.core.Grant;
import io.mgtm.ha.core.Heartbeat;
import io.mgtm.ha.core.Leader;
import io.mgtm.ha.core.LeaderEffects;
import io.mgtm.ha.core.OperatorCommand;
import io.mgtm.ha.model.ClusterConfig;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a controller decides while its member leads the log, and what that does to the world. Owner
 * thread, where nothing else is said.
 */
final class LeaderPart implements LeaderEffects, ReplicatedLog.Listener {
  private static final Logger log = LoggerFactory.getLogger(LeaderPart.class);

  /** So long an operator's command waits to be committed. */
  private static final int ANSWER_S = 30;

  private static final long MEMBERS_MS = 1_000;

  /** So long one that stops waits for the next leader, which may lack some entries. */
  private static final int HAND_OVER_MS = 10_000;

  private static final int HAND_OVER_STEP_MS = 5;

  private final HaNode node;
  private final String name;
  private final ClusterConfig founding;
  private final StateLog state;
  private final FenceRuns fences;
  private final Leader leader;
  private final Map<Long, CompletableFuture<Reply>> requests = new HashMap<>();
  private Optional<LeaderListener> told = Optional.empty();
  private MemberLog members;
  private GroupMembers group;
  private boolean leads;
  private boolean handsOver;
  private long lastRequest;
  private long lastAppended;
  private long nextMembers;

  LeaderPart(HaNode node, NodeSetup setup, StateLog state) {
    this.node = node;
    this.name = setup.node();
    this.founding = setup.config();
    this.state = state;
    this.fences = FenceRuns.start(setup.fences(), setup.runtime().resolve("fence"), this::fenced);
    this.leader = new Leader(name, this);
  }

  /** The log is open. */
  void opened(MemberLog newMembers) {
    members = newMembers;
    group = new GroupMembers(members.admin());
  }

  /** The state is another. One that does not lead has applied what is committed. */
  void applied() {
    if (!leads) {
      settled();
    }
  }

  private void settled() {
    lastAppended = 0;
    node.configure();
  }

  void heard(Heartbeat heartbeat, String path) {
    leader.heard(heartbeat, path, node.nowMs());
  }

  /**
   * Time has passed.
   *
   * @param committed the state
   */
  void tick(ClusterState committed) {
    long now = node.nowMs();
    GroupStatus status = members.status();
    leader.members(
        status.members().stream()
            .filter(member -> !member.name().equals(ClusterConfig.QUORUM_DISK))
            .collect(Collectors.toMap(GroupStatus.Member::name, GroupStatus.Member::identity)),
        now);
    if (leads && committed.config() != null) {
      leader.connected(status.connected(), now);
      if (now >= nextMembers) {
        nextMembers = now + MEMBERS_MS;
        group.follow(status, committed.config().logMembers(), committed.retired().keySet());
      }
    }
    leader.tick(now, HaNode.wallMs());
  }

  /** Any thread. */
  private void fenced(FenceAnswer answer) {
    node.soon(() -> leader.fenced(answer, node.nowMs(), HaNode.wallMs()));
  }

  // What the log tells.

  @Override
  public void leading(long term) {
    log.info("This controller leads, term {}", term);
    leads = true;
    settled(); // also what it has appended when it led before
    node.takesPart();
    nextMembers = node.nowMs(); // it may be one that leaves, and that nobody sends heartbeats to
    leader.leading(term, state.state(), node.nowMs(), HaNode.wallMs());
    if (state.state().config() == null) {
      asked(++lastRequest, name, new OperatorCommand.Configure(founding, 0));
    }
  }

  private void asked(long request, String by, OperatorCommand command) {
    leader.asked(request, by, command, node.nowMs(), HaNode.wallMs());
  }

  @Override
  public void following(String who) {
    if (leads) {
      log.info("This controller does not lead any more{}", who == null ? "" : ", " + who + " does");
      group.following();
    }
    leads = false; // what it has appended may be taken back
    if (who != null) {
      node.takesPart();
    }
    leader.following();
    told.ifPresent(LeaderListener::following);
  }

  @Override
  public void committed(long index) {
    if (lastAppended > 0 && index >= lastAppended) {
      settled();
      if (!leads) {
        return;
      }
      told.ifPresent(listener -> listener.committed(state.state()));
      leader.committed(node.nowMs(), HaNode.wallMs());
    }
  }

  @Override
  public void confirmed(long readIndex) {
    leader.confirmed(readIndex, node.nowMs());
  }

  @Override
  public void failed(LogException cause) {
    node.failed(cause);
  }

  // What the leader does to the world.

  @Override
  public void append(Batch batch, ClusterState after) {
    lastAppended = state.append(members, batch, after);
    node.soon(() -> committed(members.committedIndex()));
  }

  @Override
  public long confirm() {
    long index = members.confirm();
    node.soon(() -> confirmed(members.confirmedReadIndex()));
    return index;
  }

  @Override
  public void send(Grant grant) {
    node.send(grant);
  }

  @Override
  public void reply(long request, Reply reply) {
    CompletableFuture<Reply> waiting = requests.remove(request);
    if (waiting != null) {
      waiting.complete(reply);
    } else if (reply.outcome() == Reply.Outcome.REFUSED) {
      log.error("The first configuration is refused: {}", reply.text());
    }
  }

  @Override
  public void fence(long request, String other) {
    fences.begin(request, other);
  }

  @Override
  public void endFence(long request) {
    fences.end(request);
  }

  /** See {@link HaNode#ask}. Any thread. */
  CompletableFuture<Reply> ask(String by, OperatorCommand command) {
    CompletableFuture<Reply> reply = new CompletableFuture<>();
    node.soon(
        () -> {
          long request = ++lastRequest;
          requests.put(request, reply);
          node.later(TimeUnit.SECONDS.toMillis(ANSWER_S), () -> requests.remove(request));
          asked(request, by, command);
        });
    return reply.orTimeout(ANSWER_S, TimeUnit.SECONDS);
  }

  /** See {@link HaNode#tell}. Any thread. */
  void tell(LeaderListener teller) {
    node.soon(
        () -> {
          told = Optional.of(teller);
          if (leads && lastAppended == 0) {
            teller.committed(state.state());
          }
        });
  }

  /**
   * Has another controller lead before this one goes, which alone with a witness or a quorum disk
   * may have what was agreed last. Returns when another leads, when there is nobody to ask, or
   * after a bounded time. Any thread but the owner's.
   */
  void handOver() {
    long deadline = node.nowMs() + HAND_OVER_MS;
    while (node.await(this::isHandingOver) && node.nowMs() < deadline) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(HAND_OVER_STEP_MS));
    }
  }

  private boolean isHandingOver() {
    if (members == null || node.failure().isDone()) {
      return false;
    }
    GroupStatus status = members.status();
    if (members.isLeading()) {
      handsOver = status.transferring() || members.handOver().isPresent();
      return handsOver;
    }
    return handsOver && status.leader().isEmpty();
  }

  /** Ends fence agents that run. Any thread. */
  void close() {
    fences.close();
  }
}
