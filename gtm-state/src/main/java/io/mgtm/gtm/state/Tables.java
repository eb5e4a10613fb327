package io.mgtm.gtm.state;

/** What the commands of {@link Rules} read and change. */
record Tables(
    GxidAllocator gxids,
    TransactionTable transactions,
    SequenceDatabases sequences,
    NodeRegistry nodes,
    SessionTable sessions,
    BarrierLog barriers,
    MemberTable members,
    ServedTerm served) {

  /** Those of a GTM that knows nothing but where its gxids stand. */
  static Tables of(GxidAllocator gxids, long latestCompleted) {
    return new Tables(
        gxids,
        new TransactionTable(latestCompleted),
        new SequenceDatabases(),
        new NodeRegistry(),
        new SessionTable(),
        new BarrierLog(),
        new MemberTable(),
        new ServedTerm());
  }

  /** As they are now, for another thread: nothing can be found in its transactions. */
  Tables picture() {
    return new Tables(
        gxids.copy(),
        transactions.picture(),
        sequences.picture(),
        nodes.picture(),
        sessions.picture(),
        barriers.picture(),
        members.picture(),
        served.picture());
  }
}
