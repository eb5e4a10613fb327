package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.BackupReply;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.Names;
import io.mgtm.gtm.command.NodeReply;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceReply;
import io.mgtm.gtm.command.SnapshotReply;
import io.mgtm.gtm.command.TransactionReply;
import io.netty.buffer.ByteBuf;

/**
 * Writes replies as the original's clients read them: {@code 'R'} for an accepted startup packet,
 * {@code 'S'} for success, {@code 'E'} for errors. A reply to a proxy carries the connection number
 * of its command after the result type ({@code 'S'}) or at once ({@code 'E'}).
 *
 * <p>One object serves one thread.
 */
public final class ReplyEncoder {
  static final int STATUS_OK = 0;
  private static final int STATUS_ERROR = -1;

  private final FrameWriter writer = new FrameWriter();
  private final TransactionReplies transactions = new TransactionReplies();

  /** The answer to a startup packet. */
  public void startupAccepted(ByteBuf out) {
    writer.begin(out, 'R').end();
  }

  /**
   * An error.
   *
   * @param fatal whether the connection is closed after it
   * @param hint what to do, or empty
   */
  public void error(
      ByteBuf out, boolean proxied, short backend, boolean fatal, String message, String hint) {
    writer.begin(out, 'E');
    if (proxied) {
      writer.putHostShort(backend);
    }
    writer.putByte('S').putTerminated(fatal ? "FATAL" : "ERROR");
    writer.putByte('M').putTerminated(wireText(message));
    if (!hint.isEmpty()) {
      writer.putByte('H').putTerminated(wireText(hint));
    }
    writer.putByte(0).end();
  }

  /** The message's UTF-8 bytes as {@link Names#BYTES}. */
  private static String wireText(String text) {
    return new String(text.getBytes(java.nio.charset.StandardCharsets.UTF_8), Names.BYTES);
  }

  /**
   * Writes one reply; nothing for a command that has none.
   *
   * @param proxied whether the peer is a proxy, so that {@code backend} is written
   */
  public void encode(ByteBuf out, boolean proxied, short backend, Reply reply) {
    ListReply list = ListReply.of(proxied, backend, reply);
    if (list != null) {
      list.write(out, Integer.MAX_VALUE);
    } else if (reply instanceof TransactionReply r) {
      transactions.encode(out, proxied, backend, r);
    } else if (reply instanceof SnapshotReply.Snapshot r) {
      snapshot(out, proxied, backend, r);
    } else if (reply instanceof SequenceReply r) {
      sequence(out, proxied, backend, r);
    } else if (reply instanceof Reply.Rejected r) {
      error(out, proxied, backend, false, r.message(), r.hint());
    } else if (reply instanceof NodeReply r) {
      node(out, proxied, backend, r);
    } else if (reply instanceof BackupReply r) {
      backup(out, proxied, backend, r);
    }
  }

  private void snapshot(ByteBuf out, boolean proxied, short backend, SnapshotReply.Snapshot r) {
    switch (r.of()) {
      case GET_SNAPSHOT ->
          writer.beginSuccess(out, ResultType.SNAPSHOT_GET, proxied, backend).putHostInt(r.gxid());
      case ASSIGN_GXID_AND_GET_SNAPSHOT ->
          writer
              .beginSuccess(out, ResultType.SNAPSHOT_GXID_GET, proxied, backend)
              .putHostInt(r.handle())
              .putHostInt(r.gxid());
      default -> writer.beginSuccess(out, ResultType.SNAPSHOT_GET_MULTI, proxied, backend);
    }
    writer.putHostInt(r.known().count());
    for (int i = 0; i < r.known().count(); i++) {
      writer.putHostInt(status(r.known().get(i)));
    }
    writer.putHostInt(r.xmin()).putHostInt(r.xmax()).putHostInt(r.recentGlobalXmin());
    writer.putInt(r.running().count()).putHostInts(r.running()).end();
  }

  static int status(boolean known) {
    return known ? STATUS_OK : STATUS_ERROR;
  }

  private void sequence(ByteBuf out, boolean proxied, short backend, SequenceReply reply) {
    if (reply instanceof SequenceReply.Value r) {
      ResultType type =
          r.of() == CommandType.NEXT_VALUE
              ? ResultType.SEQUENCE_GET_NEXT
              : ResultType.SEQUENCE_GET_LAST;
      writer.beginSuccess(out, type, proxied, backend).putString(r.key()).putHostLong(r.value());
    } else if (reply instanceof SequenceReply.Done r) {
      writer.beginSuccess(out, doneType(r.of()), proxied, backend).putString(r.key());
    }
    writer.end();
  }

  private static ResultType doneType(CommandType of) {
    return switch (of) {
      case INIT_SEQUENCE -> ResultType.SEQUENCE_INIT;
      case SET_VALUE -> ResultType.SEQUENCE_SET_VAL;
      case RESET_SEQUENCE -> ResultType.SEQUENCE_RESET;
      case CLOSE_SEQUENCE, CLOSE_SEQUENCES_OF_DATABASE -> ResultType.SEQUENCE_CLOSE;
      case RENAME_SEQUENCE -> ResultType.SEQUENCE_RENAME;
      case ALTER_SEQUENCE -> ResultType.SEQUENCE_ALTER;
      default -> throw new IllegalArgumentException(of + " is no sequence command");
    };
  }

  private void node(ByteBuf out, boolean proxied, short backend, NodeReply reply) {
    if (reply instanceof NodeReply.Registered r) {
      writer
          .beginSuccess(out, ResultType.NODE_REGISTER, proxied, backend)
          .putHostInt(r.nodeType().code())
          .putString(r.name());
    } else if (reply instanceof NodeReply.Unregistered r) {
      writer
          .beginSuccess(out, ResultType.NODE_UNREGISTER, proxied, backend)
          .putHostInt(r.nodeType().code())
          .putString(r.name());
    }
    writer.end();
  }

  private void backup(ByteBuf out, boolean proxied, short backend, BackupReply reply) {
    if (reply instanceof BackupReply.Done r) {
      ResultType type =
          switch (r.of()) {
            case BARRIER -> ResultType.BARRIER;
            case BEGIN_BACKUP -> ResultType.BEGIN_BACKUP;
            default -> ResultType.END_BACKUP;
          };
      writer.beginSuccess(out, type, proxied, backend);
    }
    writer.end();
  }
}
