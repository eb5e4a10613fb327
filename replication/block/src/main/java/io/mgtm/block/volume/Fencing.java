package io.mgtm.block.volume;

import java.util.ArrayList;
import java.util.List;

/**
 * Which copies this primary must have fenced before it goes on without them: the cluster notes that
 * they lack what is answered from then on, and promotes none of them. A synchronous or
 * semi-synchronous replica is either in sync, or was fenced since it last was and since this side
 * became primary or started, or nothing is answered. Called on the core's thread.
 *
 * <p>Of an asynchronous replica the cluster never believes that it has everything.
 */
public final class Fencing {
  private static final long LINE_EVERY_MS = 60_000;

  /**
   * What is waited for.
   *
   * @param request what the cluster is to note
   * @param attempts how often that was tried in vain
   * @param reason why it was not noted yet
   */
  public record Waiting(FenceRequest request, int attempts, String reason) {}

  private final VolumeCore core;
  private final VolumeEffects effects;
  private final Replication replication;
  private boolean required;
  private Waiting waiting;
  private long nextLineMs;

  Fencing(VolumeCore core, VolumeEffects effects, Replication replication) {
    this.core = core;
    this.effects = effects;
    this.replication = replication;
  }

  /** Nothing is answered without a copy before that is fenced. Called before anything is served. */
  public void require() {
    required = true;
  }

  /** Whether this side goes on without a copy only once that is fenced. */
  public boolean isRequired() {
    return required;
  }

  /** What is waited for, or null. */
  public Waiting waiting() {
    return waiting;
  }

  /** Whether a client cannot be answered before some copy is fenced. */
  boolean isOwed() {
    if (!required || !core.isPrimary() || core.administration().isSuperseded()) {
      return false;
    }
    for (int i = 0; i < replication.links().size(); i++) {
      if (isOwed(replication.links().get(i))) {
        return true;
      }
    }
    return false;
  }

  private boolean isOwed(ReplicaLink link) {
    return link.config.mode() != LinkMode.ASYNC
        && !link.fenced
        && !replication.heirs().hasEverything(link);
  }

  private List<String> owed() {
    return isOwed()
        ? replication.links().stream().filter(this::isOwed).map(l -> l.config.name()).toList()
        : List.of();
  }

  /** Has those fenced that are not; answered by {@link GoingAlone#fenced}. */
  void ask() {
    List<String> inSync = new ArrayList<>();
    for (ReplicaLink link : replication.links()) {
      if (replication.heirs().hasEverything(link)) {
        inSync.add(link.config.name());
      }
    }
    FenceRequest request = new FenceRequest(effects.newGeneration(), owed(), inSync);
    waiting = new Waiting(request, 0, "nobody has said yet that it is");
    nextLineMs = core.nowMs();
    effects.notice(
        "writes wait until "
            + String.join(", ", request.lost())
            + " is fenced, token "
            + request.token());
    effects.fence(request);
  }

  /** Whether other copies are to be fenced now than those that are waited for. */
  boolean isStale() {
    return waiting != null && !waiting.request().lost().equals(owed());
  }

  /** Nobody waits any longer; answers whether somebody did. */
  boolean withdraw() {
    if (waiting == null) {
      return false;
    }
    waiting = null;
    effects.endFence();
    return true;
  }

  /**
   * The cluster was asked.
   *
   * @param token what named the question; nothing happens when it is waited for no longer
   * @param failure why it has not noted that the copies are lost, or null when it has
   */
  public void attempted(String token, String failure) {
    if (waiting == null || !waiting.request().token().equals(token)) {
      return;
    }
    if (failure == null) {
      granted();
      return;
    }
    waiting = new Waiting(waiting.request(), waiting.attempts() + 1, failure);
    if (core.nowMs() >= nextLineMs) {
      nextLineMs = core.nowMs() + LINE_EVERY_MS;
      effects.notice(
          "writes are suspended until "
              + String.join(", ", waiting.request().lost())
              + " is fenced: "
              + failure
              + "; tried "
              + waiting.attempts()
              + " times");
    }
  }

  /**
   * An operator, or the cluster itself, says that the copies are fenced.
   *
   * @return null, or why that is not what is waited for
   */
  public String confirm(String token) {
    if (waiting == null) {
      return "this side waits for no fence";
    }
    if (!waiting.request().token().equals(token)) {
      return "token '"
          + token
          + "' is not that of the fence that is waited for; other copies may be lost than you know:"
          + " look at 'status --json' again";
    }
    granted();
    return null;
  }

  private void granted() {
    FenceRequest request = waiting.request();
    withdraw();
    for (ReplicaLink link : replication.links()) {
      link.fenced |= request.lost().contains(link.config.name());
    }
    effects.notice(String.join(", ", request.lost()) + " is fenced, token " + request.token());
    replication.alone().fenced(request.generation());
    core.administration().settle();
  }
}
