package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.link.RefusalCode;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens, attaches and ends the sessions of gateways, within an entry of the leader. Owner thread.
 */
final class GatewaySessions {
  private static final Logger log = LoggerFactory.getLogger(GatewaySessions.class);

  private final GtmStateMachine machine;
  private final EntryAppender entry;
  private final SessionWatch watch;
  private final BackupViews views;
  private final int sessionsMax;

  GatewaySessions(
      GtmStateMachine machine,
      EntryAppender entry,
      SessionWatch watch,
      BackupViews views,
      int sessionsMax) {
    this.machine = machine;
    this.entry = entry;
    this.watch = watch;
    this.views = views;
    this.sessionsMax = sessionsMax;
  }

  /** A gateway goes on with a session, or opens it. */
  void attach(LinkWork.Attach work, BatchOutput output) {
    GtmState.GatewayInfo known = machine.state().gateway(work.session());
    GatewayPeer peer = work.peer();
    if (known == null && !work.fresh()) {
      output.refuse(
          peer,
          work.session(),
          RefusalCode.SESSION_LOST,
          "the session has ended",
          "What was not answered may have been done or not.");
      return;
    }
    if (known != null
        && (!known.gateway().equals(peer.gateway())
            || known.kind() != peer.kind()
            || known.proxied() != work.proxied())) {
      output.refuse(
          peer, work.session(), RefusalCode.PROTOCOL, "the session is another gateway's", "");
      return;
    }
    if (known == null && !open(work, output)) {
      return;
    }
    watch.attach(work.session(), peer);
    LinkWriter.attached(
        output.to(peer), work.session(), machine.state().gateway(work.session()).last());
  }

  /** False when the session was refused. */
  private boolean open(LinkWork.Attach work, BatchOutput output) {
    GatewayPeer peer = work.peer();
    if (!entry.hasRoom()) {
      output.refuse(
          peer,
          work.session(),
          RefusalCode.LIMITS,
          "the GTM cannot store anything now",
          "Free space on the disk of its data folder.");
      return false;
    }
    if (machine.state().counts().sessions() >= sessionsMax) {
      output.refuse(
          peer,
          work.session(),
          RefusalCode.LIMITS,
          "the limit of " + sessionsMax + " sessions is reached",
          "Raise limits.connectionsMax.");
      return false;
    }
    if (!work.proxied() && !endUnattached(work, output)) {
      return false;
    }
    entry.apply(
        new SessionCommand.OpenGateway(
            work.session(), peer.gateway(), peer.kind(), work.proxied()));
    log.info("Session {} of {} begins", Long.toHexString(work.session()), peer.describe());
    return true;
  }

  /** A gateway that starts over no longer needs its old sessions; false when one is in use. */
  private boolean endUnattached(LinkWork.Attach work, BatchOutput output) {
    GatewayPeer peer = work.peer();
    List<GtmState.GatewayInfo> old =
        machine.state().gateways().stream()
            .filter(s -> s.gateway().equals(peer.gateway()) && s.kind() == peer.kind())
            .toList();
    if (old.stream().anyMatch(s -> !s.proxied() && watch.of(s.session()) != null)) {
      output.refuse(
          peer,
          work.session(),
          RefusalCode.NAME_IN_USE,
          "another gateway named \"" + peer.gateway() + "\" is connected",
          "Give each proxy a name of its own, or wait until the other's connection is found dead.");
      return false;
    }
    old.stream().filter(s -> watch.of(s.session()) == null).forEach(this::end);
    return true;
  }

  /** A gateway no longer needs a session. Without room it ends when its time of grace is over. */
  void close(LinkWork.Close work, long nowMs) {
    SessionWatch.Attachment attachment = watch.of(work.session());
    if (attachment == null || attachment.peer != work.peer()) {
      return;
    }
    if (entry.hasRoom()) {
      end(machine.state().gateway(work.session()));
    } else {
      watch.detach(work.session(), nowMs);
    }
  }

  /** Ends a session, and with it what is open in it. */
  void end(GtmState.GatewayInfo session) {
    log.info(
        "Session {} of gateway {} ends", Long.toHexString(session.session()), session.gateway());
    watch.forget(session.session());
    views.end(session.session());
    entry.apply(new SessionCommand.CloseSession(session.session()));
  }
}
