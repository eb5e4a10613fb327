package io.mgtm.group.core.sim;

import io.mgtm.group.core.Entry;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import io.mgtm.group.core.Message;
import io.mgtm.group.core.TermRecord;
import io.mgtm.group.total.TotalMessage;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** Links between members: late, lossy, repeating, cut in one direction or both. */
final class SimNetwork {
  private final GroupSimulation world;
  private final SplittableRandom random;
  private final Map<String, Integer> reachableFor = new HashMap<>();
  private final Set<String> cut = new HashSet<>();
  private final Map<String, Long> lastDelivery = new HashMap<>();
  private final boolean fifo;
  private final int lossPerMille;
  private final int repeatPerMille;
  private final int spikePerMille;
  private boolean healthy;

  SimNetwork(GroupSimulation world, SplittableRandom random) {
    this.world = world;
    this.random = random;
    this.fifo = random.nextInt(3) > 0;
    this.lossPerMille = random.nextInt(3) == 0 ? random.nextInt(100) : 0;
    this.repeatPerMille = random.nextInt(3) == 0 ? random.nextInt(100) : 0;
    this.spikePerMille = random.nextInt(3) == 0 ? random.nextInt(60) : 5;
  }

  private static String link(String from, String to) {
    return from + '>' + to;
  }

  void cut(String from, String to) {
    cut.add(link(from, to));
  }

  /** Cuts the lines between two sides. */
  void cut(Collection<String> one, Collection<String> other, boolean there, boolean back) {
    for (String left : one) {
      for (String right : other) {
        if (there) {
          cut(left, right);
        }
        if (back) {
          cut(right, left);
        }
      }
    }
  }

  void mend(String from, String to) {
    cut.remove(link(from, to));
  }

  /** Of the clients, only some stay on the side of a member that is cut off. */
  void cutClients(String from) {
    reachableFor.put(from, random.nextInt(1 << SimMachine.CLIENTS));
  }

  boolean reaches(int client, String member) {
    return (reachableFor.getOrDefault(member, -1) >> client & 1) != 0;
  }

  void heal() {
    cut.clear();
    reachableFor.clear();
  }

  /** From here on nothing is lost. */
  void heal(boolean forGood) {
    heal();
    healthy = forGood;
  }

  boolean isCut(String from, String to) {
    return cut.contains(link(from, to));
  }

  void send(MemberId from, String to, Object message) {
    if (world.fault == Fault.STALE_INTRODUCTION && message instanceof Message.Hello hello) {
      answerAsBefore(world.node(from.name()), to, hello);
    }
    if (world.fault == Fault.LEADER_GOES_ON_WITHOUT_THE_WITNESS
        && to.equals(world.witness)
        && message instanceof Message.CheckpointPiece position) {
      answerForWitness(world.node(from.name()), position);
    }
    if (isCut(from.name(), to) || (!healthy && random.nextInt(1000) < lossPerMille)) {
      return;
    }
    deliverLater(from, to, message);
    if (!healthy && random.nextInt(1000) < repeatPerMille) {
      deliverLater(from, to, message);
    }
  }

  private void answerAsBefore(SimNode asking, String to, Message.Hello hello) {
    SimNode asked = world.node(to);
    Message.HelloReply before = asking.introduced.get(to);
    if (before == null || asked == null || (asked.alive && !isCut(to, asking.name))) {
      return;
    }
    Message.HelloReply again =
        new Message.HelloReply(
            0, hello.nonce(), "", before.configured(), before.witness(), Membership.NONE);
    world.after(
        1, () -> asking.step(() -> asking.core.receive(world.nowMs(), asked.self(), again)));
  }

  private void answerForWitness(SimNode leader, Message.CheckpointPiece position) {
    SimNode witness = world.node(world.witness);
    TermRecord record = witness.disk.record;
    Message.AppendReply reply =
        new Message.AppendReply(
            position.term(),
            record.incarnation(),
            record.standing(),
            0,
            true,
            position.checkpoint().index(),
            position.checkpoint().index(),
            0,
            0);
    world.after(
        1, () -> leader.step(() -> leader.core.receive(world.nowMs(), witness.self(), reply)));
  }

  private void deliverLater(MemberId from, String to, Object message) {
    long delay = 1L + random.nextInt(4);
    if (!healthy && random.nextInt(1000) < spikePerMille) {
      delay += random.nextInt(300);
    }
    SimNode sender = world.node(from.name());
    long at = world.nowMs() + delay;
    if (fifo) {
      String link = link(from.name(), to);
      at = Math.max(at, lastDelivery.getOrDefault(link, 0L));
      lastDelivery.put(link, at);
    }
    world.after(at - world.nowMs(), () -> deliver(sender, to, message));
  }

  private void deliver(SimNode sender, String to, Object message) {
    SimNode node = world.node(to);
    MemberId from = sender.self();
    if (node == null
        || !node.alive
        || isCut(from.name(), to)
        || world.nowMs() > sender.lostAfterMs.getOrDefault(to, Long.MAX_VALUE)) {
      return;
    }
    if (message instanceof TotalMessage ofTotal) {
      world.trace("%s to %s: %s", from, to, ofTotal);
      node.step(() -> node.total.receive(from, ofTotal));
      return;
    }
    Message seen = (Message) message;
    if (world.fault == Fault.NO_LOG_MATCHING && message instanceof Message.Append append) {
      seen = asIfMatching(append, node.disk);
    }
    if (world.fault == Fault.SUCCESSOR_NOT_IN_STEP) {
      if (message instanceof Message.CaughtUp) {
        return;
      }
      seen = message instanceof Message.TransferNow m ? new Message.TransferNow(m.term(), 0) : seen;
    }
    if (message instanceof Message.HelloReply reply && reply.term() == 0) {
      node.introduced.putIfAbsent(from.name(), reply);
    }
    Message delivered = seen;
    world.trace("%s to %s: %s", from, to, delivered);
    node.step(() -> node.core.receive(world.nowMs(), from, delivered));
  }

  /** Puts the term in that the receiver has, so that its comparison always holds. */
  private static Message asIfMatching(Message.Append append, SimDisk disk) {
    long previous = append.previousIndex();
    if (previous < disk.base || previous > disk.last()) {
      return append;
    }
    Entry entry = previous == disk.base ? null : disk.entry(previous);
    return new Message.Append(
        append.term(),
        append.founding(),
        append.round(),
        previous,
        entry == null ? disk.baseTerm : entry.term(),
        append.commitIndex(),
        append.entries());
  }
}
