package io.mgtm.block.volume;

import java.util.ArrayDeque;

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
