package io.mgtm.bench.micro;

import io.mgtm.gtm.command.BackupCommand;
import io.mgtm.gtm.command.BackupReply;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.Flags;
import io.mgtm.gtm.command.Gxids;
import io.mgtm.gtm.command.NodeCommand;
import io.mgtm.gtm.command.NodeReply;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SequenceReply;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.SnapshotReply;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.command.TransactionReply;
import java.util.stream.IntStream;

/** A request and its reply of each family of messages. */
public enum Family {
  BEGIN,
  COMMIT,
  /** With 16 running transactions. */
  SNAPSHOT,
  SEQUENCE,
  NODE,
  BARRIER;

  private static final TransactionRef TRANSACTION = TransactionRef.gxid(7);
  private static final String KEY = "db.public.seq\0";

  Command command() {
    return switch (this) {
      case BEGIN -> Requests.BEGIN;
      case COMMIT -> new TransactionCommand.End(TRANSACTION, Outcome.COMMIT);
      case SNAPSHOT -> new SnapshotCommand.GetSnapshot(TRANSACTION);
      case SEQUENCE -> new SequenceCommand.NextValue(KEY);
      case NODE ->
          new NodeCommand.Register(
              1,
              new NodeCommand.NodeAddress(NodeType.DATANODE, "d1", "p1", "10.0.0.1", 5432, "/d"));
      case BARRIER -> new BackupCommand.Barrier("nightly");
    };
  }

  Reply reply() {
    return switch (this) {
      case BEGIN -> new TransactionReply.Began(BeginKind.GXID, 1, 7, 3);
      case COMMIT -> new TransactionReply.Ended(Outcome.COMMIT, 7, true);
      case SNAPSHOT -> {
        int[] running = IntStream.range(1, 17).toArray();
        yield new SnapshotReply.Snapshot(
            CommandType.GET_SNAPSHOT,
            1,
            7,
            Flags.ONE_SET,
            1,
            17,
            1,
            new Gxids(running, 0, running.length));
      }
      case SEQUENCE -> new SequenceReply.Value(CommandType.NEXT_VALUE, KEY, 5);
      case NODE -> new NodeReply.Registered(NodeType.DATANODE, "d1");
      case BARRIER -> new BackupReply.Done(CommandType.BARRIER);
    };
  }
}
