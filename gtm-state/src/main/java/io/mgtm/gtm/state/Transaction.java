package io.mgtm.gtm.state;

import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.TransactionReply.TransactionInfo;
import io.mgtm.gtm.command.TransactionState;

/** One open transaction. It is a link of its table's list, oldest begin first. */
final class Transaction {
  final int handle;
  final long session;
  final short backend;
  final Isolation isolation;
  final boolean readOnly;
  final boolean vacuum;

  /** Whether its client got the handle, and may name it by that for as long as it is open. */
  boolean handleGiven;

  /** 0 until one is assigned. */
  long gxid;

  /** The xmin of its first snapshot, 0 before. */
  long xmin;

  TransactionState state = TransactionState.STARTING;
  String gid = "";
  String nodes = "";

  Transaction previous;
  Transaction next;
  boolean open = true;

  Transaction(
      int handle,
      long session,
      short backend,
      Isolation isolation,
      boolean readOnly,
      boolean vacuum) {
    this.handle = handle;
    this.session = session;
    this.backend = backend;
    this.isolation = isolation;
    this.readOnly = readOnly;
    this.vacuum = vacuum;
  }

  /** As it is now. */
  Transaction picture() {
    Transaction picture = new Transaction(handle, session, backend, isolation, readOnly, vacuum);
    picture.handleGiven = handleGiven;
    picture.gxid = gxid;
    picture.xmin = xmin;
    picture.state = state;
    picture.gid = gid;
    picture.nodes = nodes;
    return picture;
  }

  boolean hasGid() {
    return state.outlivesSession();
  }

  TransactionInfo info() {
    return new TransactionInfo(
        handle,
        GxidMath.wire(gxid),
        state,
        session,
        backend,
        isolation,
        readOnly,
        vacuum,
        GxidMath.wire(xmin),
        gid,
        nodes);
  }
}
