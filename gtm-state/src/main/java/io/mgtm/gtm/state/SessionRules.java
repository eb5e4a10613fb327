package io.mgtm.gtm.state;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SessionCommand;

/** The commands on who is connected, and those of the GTM's own. */
final class SessionRules {
  private final Tables tables;
  private final Applying applying;
  private final TransactionRules transactions;

  SessionRules(Tables tables, Applying applying, TransactionRules transactions) {
    this.tables = tables;
    this.applying = applying;
    this.transactions = transactions;
  }

  private Reply did(Effect effect) {
    applying.did(effect);
    return Reply.None.INSTANCE;
  }

  private Reply loggedIf(boolean changed) {
    return did(changed ? Effect.LOGGED : Effect.NONE);
  }

  Reply open(SessionCommand.OpenSession c) {
    tables
        .sessions()
        .open(new SessionTable.Session(c.session(), c.nodeName(), c.nodeType(), c.postmaster()));
    return did(Effect.LOGGED);
  }

  Reply close(SessionCommand.CloseSession c) {
    boolean changed = transactions.endSession(c.session(), Command.NO_BACKEND);
    changed |= tables.nodes().disconnectSession(c.session());
    changed |= tables.sessions().close(c.session());
    return loggedIf(changed);
  }

  Reply disconnect(SessionCommand.DisconnectBackend c) {
    boolean changed = transactions.endSession(c.session(), c.backend());
    if (c.postmaster()) {
      changed |= tables.nodes().disconnect(c.session(), c.nodeType(), c.nodeName());
    }
    return loggedIf(changed);
  }

  Reply openGateway(SessionCommand.OpenGateway c) {
    boolean known = tables.sessions().contains(c.session());
    if (!known) {
      tables.sessions().open(new GatewaySession(c.session(), c.gateway(), c.kind(), c.proxied()));
    }
    return loggedIf(!known);
  }

  Reply announce(SessionCommand.AnnounceMember c) {
    return loggedIf(tables.members().announce(c.member(), c.address()));
  }

  Reply serve(SessionCommand.ServeTerm c) {
    tables.served().begin(c.term(), c.member());
    return did(Effect.FORCED);
  }

  Reply skipAhead(SessionCommand.SkipAhead c) {
    transactions.skipAhead(c.gxids());
    tables.sequences().skipReserved();
    return did(Effect.FORCED);
  }

  Reply restart(SessionCommand.Restart c) {
    transactions.restart(c.clean());
    if (!c.clean()) {
      tables.sequences().skipReserved();
    }
    tables.nodes().disconnectAll();
    tables.sessions().clear();
    tables.served().clear();
    return did(Effect.FORCED);
  }
}
