package io.mgtm.block.agent;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mgtm.block.volume.Grounds;
import io.mgtm.block.volume.Standing;
import io.mgtm.block.volume.Testimony;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One promotion asked for by an operator: every configured replica is asked first, then the core
 * decides. On the owner's event loop.
 */
final class PromotionCommand {
  /**
   * Who vouches for a copy knows already what the others would say; they are asked for what speaks
   * against it, and a machine that has died is not waited for any longer.
   */
  private static final long VOUCHED_MS = 1_000;

  private final VolumeService service;
  private final List<LinkDialer> peers;
  private final Runnable roleChanged;
  private final Grounds grounds;
  private final Consumer<Object> answer;
  private final List<Testimony> testimonies = new ArrayList<>();

  PromotionCommand(
      VolumeService service,
      List<LinkDialer> peers,
      Runnable roleChanged,
      Grounds grounds,
      Consumer<Object> answer) {
    this.service = service;
    this.peers = peers;
    this.roleChanged = roleChanged;
    this.grounds = grounds;
    this.answer = answer;
  }

  void run() {
    if (peers.isEmpty()) {
      decide();
    }
    long mostMs = grounds == Grounds.VOUCHED ? VOUCHED_MS : Long.MAX_VALUE;
    for (LinkDialer peer : peers) {
      peer.ask(
          mostMs,
          testimony -> {
            testimonies.add(testimony);
            if (testimonies.size() == peers.size()) {
              decide();
            }
          });
    }
  }

  private void decide() {
    boolean serving = service.core().isPrimary() && service.export().isReady();
    boolean waiting = service.core().isPrimary() && !serving;
    boolean force = grounds == Grounds.FORCE;
    String unsure =
        waiting && !force
            ? service.core().administration().refusalToServe(grounds, testimonies)
            : null;
    Standing before = service.core().state().standing();
    boolean wasNewest = before.newest() || testimonies.stream().anyMatch(Testimony::handsOver);
    service
        .core()
        .administration()
        .promote(
            grounds,
            testimonies,
            refusal -> {
              if (refusal != null) {
                answer.accept(Control.outcome(refusal + age(before)));
              } else if (unsure != null) {
                answer.accept(Control.outcome(unsure));
              } else {
                if (!serving) {
                  service.export().setReady();
                  roleChanged.run();
                }
                ObjectNode done = Control.done();
                answer.accept(force && !wasNewest ? done.put("note", cost(before)) : done);
              }
            });
  }

  private String age(Standing standing) {
    boolean follows = service.core().receiver().isConnected();
    return follows || standing.asOfMs() == 0
        ? ""
        : ". This copy followed its source until " + when(standing);
  }

  private static String cost(Standing standing) {
    return standing.asOfMs() == 0
        ? "by force: what other copies acknowledged is lost where this one does not have it"
        : "by force: this copy followed its source until "
            + when(standing)
            + "; what was acknowledged since then is lost";
  }

  private static String when(Standing standing) {
    Instant until = Instant.ofEpochMilli(standing.asOfMs());
    long seconds = Math.max(0, Duration.between(until, Instant.now()).toSeconds());
    return until.truncatedTo(ChronoUnit.SECONDS) + ", " + seconds + " s ago";
  }
}
