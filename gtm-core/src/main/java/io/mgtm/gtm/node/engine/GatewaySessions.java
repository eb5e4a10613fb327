package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.link.RefusalCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens, attaches and ends the sessions of gateways, within an entry of the leader. Owner thread.
 */
final class GatewaySessions implements SessionRules.Sessions {
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
    GatewayPeer peer = work.peer();
    boolean begins = machine.state().gateway(work.session()) == null;
    SessionRules.Refusal refusal =
        SessionRules.admit(work.request(), machine.state(), sessionsMax, this);
    if (refusal != null) {
      output.refuse(peer, work.session(), refusal);
      return;
    }
    if (begins) {
      log.info("Session {} of {} begins", Long.toHexString(work.session()), peer.describe());
    }
    watch.attach(work.session(), peer);
    LinkWriter.attached(
        output.to(peer), work.session(), machine.state().gateway(work.session()).last());
  }

  @Override
  public boolean isAttached(long session) {
    return watch.of(session) != null;
  }

  @Override
  public SessionRules.Refusal closed() {
    return entry.hasRoom()
        ? null
        : new SessionRules.Refusal(
            RefusalCode.LIMITS,
            "the GTM cannot store anything now",
            "Free space on the disk of its data folder.");
  }

  @Override
  public void open(SessionCommand.OpenGateway command) {
    entry.apply(command);
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

  /** With it ends what is open in it. */
  @Override
  public void end(GtmState.GatewayInfo session) {
    log.info(
        "Session {} of gateway {} ends", Long.toHexString(session.session()), session.gateway());
    watch.forget(session.session());
    views.end(session.session());
    entry.apply(new SessionCommand.CloseSession(session.session()));
  }
}
