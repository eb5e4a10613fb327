package io.mgtm.gtm.command;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Writes commands as they stand in the log: {@code code:u8} and the fields in the order of the
 * record, big-endian. Codes and field orders never change; a new need gets a new code.
 */
public final class CommandEncoder {
  private CommandEncoder() {}

  /**
   * Appends one command to {@code out}.
   *
   * @throws java.nio.BufferOverflowException when it does not fit
   * @throws IllegalArgumentException when it is a query, which no log holds
   */
  public static void encode(Command command, ByteBuffer out) {
    out.put(command.type().code());
    if (command instanceof TransactionCommand c) {
      encodeTransaction(c, out);
    } else if (command instanceof SnapshotCommand c) {
      encodeSnapshot(c, out);
    } else if (command instanceof SequenceCommand c) {
      encodeSequence(c, out);
    } else if (command instanceof SessionCommand c) {
      encodeSession(c, out);
    } else if (command instanceof NodeCommand c) {
      encodeNode(c, out);
    } else if (command instanceof BackupCommand.Barrier c) {
      FieldWriter.putString(out, c.id());
    } else {
      throw notLogged(command);
    }
  }

  private static IllegalArgumentException notLogged(Command command) {
    return new IllegalArgumentException(command.type() + " is a query: it is not logged");
  }

  private static void encodeTransaction(TransactionCommand command, ByteBuffer out) {
    if (command instanceof TransactionCommand.Begin c) {
      out.putLong(c.session()).putShort(c.backend());
      putMode(out, c.isolation(), c.readOnly());
      out.put((byte) c.kind().code());
    } else if (command instanceof TransactionCommand.End c) {
      putRef(out, c.transaction());
      out.put((byte) c.outcome().code());
    } else if (command instanceof TransactionCommand.BeginMany c) {
      out.putLong(c.session()).putInt(c.items().size());
      for (TransactionCommand.BeginItem item : c.items()) {
        out.putShort(item.backend());
        putMode(out, item.isolation(), item.readOnly());
      }
    } else if (command instanceof TransactionCommand.EndMany c) {
      putRefs(out, c.transactions());
      out.put((byte) c.outcome().code());
    } else if (command instanceof TransactionCommand.AssignGxid c) {
      putRef(out, c.transaction());
    } else if (command instanceof TransactionCommand.StartPrepare c) {
      putRef(out, c.transaction());
      FieldWriter.putString(out, c.gid());
      FieldWriter.putString(out, c.nodes());
    } else if (command instanceof TransactionCommand.Prepare c) {
      putRef(out, c.transaction());
    } else if (command instanceof TransactionCommand.CommitPrepared c) {
      putRef(out, c.prepared());
      putRef(out, c.committing());
    } else if (command instanceof TransactionCommand.BeginForPrepared c) {
      out.putLong(c.session()).putShort(c.backend());
      putMode(out, c.isolation(), c.readOnly());
      FieldWriter.putString(out, c.gid());
    } else if (command instanceof TransactionCommand.AdvanceOldestGxid c) {
      out.putInt(c.gxid());
    } else if (command instanceof TransactionCommand.StartGxids c) {
      out.putLong(c.next()).putLong(c.oldest());
    } else {
      throw notLogged(command);
    }
  }

  private static void encodeSnapshot(SnapshotCommand command, ByteBuffer out) {
    if (command instanceof SnapshotCommand.GetSnapshot c) {
      putRef(out, c.transaction());
    } else if (command instanceof SnapshotCommand.GetSnapshotMany c) {
      putRefs(out, c.transactions());
    } else if (command instanceof SnapshotCommand.AssignGxidAndGetSnapshot c) {
      putRef(out, c.transaction());
    }
  }

  private static void encodeSequence(SequenceCommand command, ByteBuffer out) {
    if (command instanceof SequenceCommand.NextValue c) {
      FieldWriter.putString(out, c.key());
    } else if (command instanceof SequenceCommand.Init c) {
      FieldWriter.putString(out, c.key());
      out.putLong(c.increment()).putLong(c.min()).putLong(c.max()).putLong(c.start());
      FieldWriter.putBoolean(out, c.cycle());
    } else if (command instanceof SequenceCommand.SetValue c) {
      FieldWriter.putString(out, c.key());
      out.putLong(c.value());
      FieldWriter.putBoolean(out, c.called());
    } else if (command instanceof SequenceCommand.Reset c) {
      FieldWriter.putString(out, c.key());
    } else if (command instanceof SequenceCommand.Close c) {
      FieldWriter.putString(out, c.key());
    } else if (command instanceof SequenceCommand.CloseDatabase c) {
      FieldWriter.putString(out, c.key());
    } else if (command instanceof SequenceCommand.Rename c) {
      FieldWriter.putString(out, c.key());
      FieldWriter.putString(out, c.newKey());
    } else if (command instanceof SequenceCommand.Alter c) {
      FieldWriter.putString(out, c.key());
      out.putLong(c.increment()).putLong(c.min()).putLong(c.max());
      out.putLong(c.start()).putLong(c.last());
      FieldWriter.putBoolean(out, c.cycle());
      FieldWriter.putBoolean(out, c.restart());
    } else if (command instanceof SequenceCommand.Restore c) {
      FieldWriter.putString(out, c.key());
      out.putLong(c.increment()).putLong(c.min()).putLong(c.max());
      out.putLong(c.start()).putLong(c.value());
      FieldWriter.putBoolean(out, c.cycle());
      FieldWriter.putBoolean(out, c.called());
    } else {
      throw notLogged(command);
    }
  }

  private static void encodeSession(SessionCommand command, ByteBuffer out) {
    if (command instanceof SessionCommand.OpenSession c) {
      out.putLong(c.session());
      FieldWriter.putString(out, c.nodeName());
      out.put((byte) c.nodeType().code());
      FieldWriter.putBoolean(out, c.postmaster());
    } else if (command instanceof SessionCommand.CloseSession c) {
      out.putLong(c.session());
    } else if (command instanceof SessionCommand.DisconnectBackend c) {
      out.putLong(c.session()).putShort(c.backend());
      FieldWriter.putBoolean(out, c.postmaster());
      if (c.postmaster()) {
        out.put((byte) c.nodeType().code());
        FieldWriter.putString(out, c.nodeName());
      }
    } else if (command instanceof SessionCommand.Restart c) {
      FieldWriter.putBoolean(out, c.clean());
    } else if (command instanceof SessionCommand.Numbered c) {
      out.putLong(c.session()).putLong(c.number()).putLong(c.acked());
      encode(c.inner(), out);
    } else if (command instanceof SessionCommand.OpenGateway c) {
      out.putLong(c.session());
      FieldWriter.putString(out, c.gateway());
      out.put((byte) c.kind().code());
      FieldWriter.putBoolean(out, c.proxied());
    } else if (command instanceof SessionCommand.AnnounceMember c) {
      FieldWriter.putString(out, c.member());
      FieldWriter.putString(out, c.address());
    } else if (command instanceof SessionCommand.ServeTerm c) {
      out.putLong(c.term());
      FieldWriter.putString(out, c.member());
    } else if (command instanceof SessionCommand.SkipAhead c) {
      out.putLong(c.gxids());
    }
  }

  private static void encodeNode(NodeCommand command, ByteBuffer out) {
    if (command instanceof NodeCommand.Register c) {
      out.putLong(c.session());
      putNode(out, c.node());
    } else if (command instanceof NodeCommand.Unregister c) {
      out.put((byte) c.nodeType().code());
      FieldWriter.putString(out, c.name());
    } else {
      throw notLogged(command);
    }
  }

  /** Writes a node's address; checkpoints use the same form. */
  public static void putNode(ByteBuffer out, NodeCommand.NodeAddress node) {
    out.put((byte) node.nodeType().code());
    FieldWriter.putString(out, node.name());
    FieldWriter.putString(out, node.proxyName());
    FieldWriter.putString(out, node.host());
    out.putInt(node.port());
    FieldWriter.putString(out, node.dataFolder());
  }

  private static void putMode(ByteBuffer out, Isolation isolation, boolean readOnly) {
    out.put((byte) (isolation.code() | (readOnly ? 0x80 : 0)));
  }

  private static void putRef(ByteBuffer out, TransactionRef ref) {
    FieldWriter.putBoolean(out, ref.byGxid());
    out.putInt(ref.value());
  }

  private static void putRefs(ByteBuffer out, List<TransactionRef> refs) {
    out.putInt(refs.size());
    for (TransactionRef ref : refs) {
      putRef(out, ref);
    }
  }
}
