package io.mgtm.gtm.command;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * The encoding in which checkpoints keep the replies of a gateway's session: {@code code:u8} and
 * the fields in the order of the record, big-endian; command types by their code. Only replies to
 * commands that changed something are kept, and no snapshots.
 */
public final class ReplyCodec {
  private static final byte NONE = 1;
  private static final byte BEGAN = 2;
  private static final byte BEGAN_MANY = 3;
  private static final byte GXID_ASSIGNED = 4;
  private static final byte ENDED = 5;
  private static final byte ENDED_MANY = 6;
  private static final byte PREPARE_STARTED = 7;
  private static final byte PREPARED = 8;
  private static final byte PREPARED_COMMITTED = 9;
  private static final byte BEGAN_FOR_PREPARED = 10;
  private static final byte OLDEST_GXID_ADVANCED = 11;
  private static final byte SEQUENCE_DONE = 12;
  private static final byte SEQUENCE_VALUE = 13;
  private static final byte REGISTERED = 14;
  private static final byte UNREGISTERED = 15;
  private static final byte BACKUP_DONE = 16;

  /** What the fields of fixed length take at most. */
  private static final int FIXED_BYTES_MAX = 32;

  private ReplyCodec() {}

  /** A bound for what {@link #encode} writes. */
  public static int sizeMax(Reply reply) {
    if (reply instanceof TransactionReply.EndedMany r) {
      return FIXED_BYTES_MAX + r.known().count();
    } else if (reply instanceof TransactionReply.BeganForPrepared r) {
      return FIXED_BYTES_MAX + FieldWriter.sizeOf(r.nodes());
    } else if (reply instanceof SequenceReply.Done r) {
      return FIXED_BYTES_MAX + FieldWriter.sizeOf(r.key());
    } else if (reply instanceof SequenceReply.Value r) {
      return FIXED_BYTES_MAX + FieldWriter.sizeOf(r.key());
    } else if (reply instanceof NodeReply.Registered r) {
      return FIXED_BYTES_MAX + FieldWriter.sizeOf(r.name());
    } else if (reply instanceof NodeReply.Unregistered r) {
      return FIXED_BYTES_MAX + FieldWriter.sizeOf(r.name());
    }
    return FIXED_BYTES_MAX;
  }

  /**
   * Appends one reply to {@code out}.
   *
   * @throws IllegalArgumentException when it answers a command that changes nothing, or is a
   *     snapshot
   */
  public static void encode(Reply reply, ByteBuffer out) {
    if (reply instanceof TransactionReply r) {
      encodeTransaction(r, out);
    } else if (reply instanceof SequenceReply.Value r) {
      out.put(SEQUENCE_VALUE).put(r.of().code());
      FieldWriter.putString(out, r.key());
      out.putLong(r.value());
    } else if (reply instanceof SequenceReply.Done r) {
      out.put(SEQUENCE_DONE).put(r.of().code());
      FieldWriter.putString(out, r.key());
    } else if (reply instanceof NodeReply.Registered r) {
      out.put(REGISTERED).put((byte) r.nodeType().code());
      FieldWriter.putString(out, r.name());
    } else if (reply instanceof NodeReply.Unregistered r) {
      out.put(UNREGISTERED).put((byte) r.nodeType().code());
      FieldWriter.putString(out, r.name());
    } else if (reply instanceof BackupReply.Done r) {
      out.put(BACKUP_DONE).put(r.of().code());
    } else if (reply instanceof Reply.None) {
      out.put(NONE);
    } else {
      throw notKept(reply);
    }
  }

  private static void encodeTransaction(TransactionReply reply, ByteBuffer out) {
    if (reply instanceof TransactionReply.Began r) {
      out.put(BEGAN).put((byte) r.kind().code()).putInt(r.handle()).putInt(r.gxid());
      out.putLong(r.timestampMicros());
    } else if (reply instanceof TransactionReply.Ended r) {
      out.put(ENDED).put((byte) r.outcome().code()).putInt(r.gxid());
      FieldWriter.putBoolean(out, r.known());
    } else if (reply instanceof TransactionReply.BeganMany r) {
      out.put(BEGAN_MANY).putInt(r.count()).putInt(r.firstGxid()).putLong(r.timestampMicros());
    } else if (reply instanceof TransactionReply.GxidAssigned r) {
      out.put(GXID_ASSIGNED).putInt(r.handle()).putInt(r.gxid());
    } else if (reply instanceof TransactionReply.EndedMany r) {
      out.put(ENDED_MANY).put((byte) r.outcome().code()).putInt(r.known().count());
      for (int i = 0; i < r.known().count(); i++) {
        FieldWriter.putBoolean(out, r.known().get(i));
      }
    } else if (reply instanceof TransactionReply.PrepareStarted r) {
      out.put(PREPARE_STARTED).putInt(r.gxid());
    } else if (reply instanceof TransactionReply.Prepared r) {
      out.put(PREPARED).putInt(r.gxid());
    } else if (reply instanceof TransactionReply.PreparedCommitted r) {
      out.put(PREPARED_COMMITTED).putInt(r.preparedGxid());
      FieldWriter.putBoolean(out, r.known());
    } else if (reply instanceof TransactionReply.BeganForPrepared r) {
      out.put(BEGAN_FOR_PREPARED).putInt(r.gxid()).putInt(r.preparedGxid());
      FieldWriter.putString(out, r.nodes());
    } else if (reply instanceof TransactionReply.OldestGxidAdvanced r) {
      out.put(OLDEST_GXID_ADVANCED).putInt(r.oldestGxid()).putInt(r.stopGxid());
    } else {
      throw notKept(reply);
    }
  }

  private static IllegalArgumentException notKept(Reply reply) {
    return new IllegalArgumentException(
        reply.getClass().getSimpleName() + " changes nothing: it is not kept");
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws UnknownCommandException when a value is of a newer version
   * @throws BufferUnderflowException when the bytes end within it
   */
  public static Reply decode(ByteBuffer in) {
    byte code = in.get();
    return switch (code) {
      case NONE -> Reply.None.INSTANCE;
      case SEQUENCE_DONE -> new SequenceReply.Done(type(in), FieldReader.getString(in));
      case SEQUENCE_VALUE ->
          new SequenceReply.Value(type(in), FieldReader.getString(in), in.getLong());
      case REGISTERED -> new NodeReply.Registered(nodeType(in), FieldReader.getString(in));
      case UNREGISTERED -> new NodeReply.Unregistered(nodeType(in), FieldReader.getString(in));
      case BACKUP_DONE -> new BackupReply.Done(type(in));
      default -> decodeTransaction(code, in);
    };
  }

  private static Reply decodeTransaction(byte code, ByteBuffer in) {
    return switch (code) {
      case BEGAN ->
          new TransactionReply.Began(
              known(TransactionCommand.BeginKind.ofCode(in.get()), "begin kind"),
              in.getInt(),
              in.getInt(),
              in.getLong());
      case BEGAN_MANY -> new TransactionReply.BeganMany(in.getInt(), in.getInt(), in.getLong());
      case GXID_ASSIGNED -> new TransactionReply.GxidAssigned(in.getInt(), in.getInt());
      case ENDED ->
          new TransactionReply.Ended(outcome(in), in.getInt(), FieldReader.getBoolean(in));
      case ENDED_MANY -> new TransactionReply.EndedMany(outcome(in), flags(in));
      case PREPARE_STARTED -> new TransactionReply.PrepareStarted(in.getInt());
      case PREPARED -> new TransactionReply.Prepared(in.getInt());
      case PREPARED_COMMITTED ->
          new TransactionReply.PreparedCommitted(in.getInt(), FieldReader.getBoolean(in));
      case BEGAN_FOR_PREPARED ->
          new TransactionReply.BeganForPrepared(
              in.getInt(), in.getInt(), FieldReader.getString(in));
      case OLDEST_GXID_ADVANCED ->
          new TransactionReply.OldestGxidAdvanced(in.getInt(), in.getInt());
      default -> throw new UnknownCommandException("unknown reply code " + code);
    };
  }

  private static Flags flags(ByteBuffer in) {
    int count = in.getInt();
    if (count < 0 || count > in.remaining()) {
      throw new BufferUnderflowException();
    }
    boolean[] flags = new boolean[count];
    for (int i = 0; i < count; i++) {
      flags[i] = FieldReader.getBoolean(in);
    }
    return Flags.of(flags);
  }

  private static CommandType type(ByteBuffer in) {
    return known(CommandType.ofCode(in.get()), "command type");
  }

  private static NodeType nodeType(ByteBuffer in) {
    return known(NodeType.ofCode(in.get()), "node type");
  }

  private static Outcome outcome(ByteBuffer in) {
    return known(Outcome.ofCode(in.get()), "outcome");
  }

  private static <T> T known(T value, String what) {
    if (value == null) {
      throw new UnknownCommandException("unknown " + what + " in a reply");
    }
    return value;
  }
}
