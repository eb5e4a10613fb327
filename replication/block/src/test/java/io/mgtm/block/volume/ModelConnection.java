package io.mgtm.block.volume;

import io.mgtm.block.volume.Meeting.Outcome;
import java.util.ArrayDeque;
import java.util.PrimitiveIterator;
import java.util.stream.IntStream;

/** One connection of the model: two queues of messages in order, and whether they still flow. */
final class ModelConnection {
  final ModelNode source;
  final int link;
  final ModelNode target;
  final int sourceLife;
  final int targetLife;
  final ArrayDeque<Runnable> toTarget = new ArrayDeque<>();
  final ArrayDeque<Runnable> toSource = new ArrayDeque<>();
  ReceiverEffects receiving;
  boolean open = true;

  ModelConnection(ModelNode source, int link, ModelNode target) {
    this.source = source;
    this.link = link;
    this.target = target;
    sourceLife = source.life;
    targetLife = target.life;
  }

  /** The source's greeting reaches the target, whose answer goes back. */
  void greet(Identity hello) {
    receiving = new ModelReceiving(target, this);
    Meeting.Decision decision = target.core.receiver().meet(hello, receiving);
    boolean welcome = decision.accepted() || decision.outcome() == Outcome.SOURCE_FORGOT;
    Identity self = target.world.promotions.told(target.core.identityFor(hello.nodeId()));
    int[] chunks =
        target.world.fault == ModelFault.PEER_BITMAP_IGNORED
            ? new int[0]
            : iterate(target.core.view().changedSince(hello.nodeId()));
    if (!decision.accepted()) {
      receiving = null;
    }
    toSource.add(
        () -> {
          Meeting.Decision last =
              welcome ? source.core.linkMet(link, self, IntStream.of(chunks).iterator()) : decision;
          source.world.promotions.met(source, target, last.outcome());
          if (last.accepted()) {
            return;
          }
          if (!welcome) {
            refuse(decision);
          }
          source.connections[link] = null;
          cut("refused");
        });
  }

  private void refuse(Meeting.Decision decision) {
    Outcome told = decision.outcome();
    boolean hushed = source.world.fault == ModelFault.OLD_PRIMARY_SERVES_ON;
    told = hushed && told == Outcome.SOURCE_OUTDATED ? Outcome.STANDBY : told;
    source.core.linkRefused(link, told, decision.reason(), "");
  }

  private static int[] iterate(PrimitiveIterator.OfInt chunks) {
    IntStream.Builder all = IntStream.builder();
    chunks.forEachRemaining((int chunk) -> all.add(chunk));
    return all.build().toArray();
  }

  /** Whether nothing is on its way. */
  boolean isIdle() {
    return toTarget.isEmpty() && toSource.isEmpty();
  }

  /** The path breaks: each side learns of it in its own time. */
  void cut(String reason) {
    if (!open) {
      return;
    }
    open = false;
    toTarget.clear();
    toSource.clear();
    if (source.life == sourceLife) {
      source.later(
          () -> {
            if (source.connections[link] == this) {
              source.connections[link] = null;
              source.core.linkLost(link, reason);
            }
          });
    }
    if (target.life == targetLife && receiving != null) {
      target.later(() -> target.core.receiver().lost(receiving, reason));
    }
  }
}
