package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.group.Durability;
import io.mgtm.group.core.Configured;
import io.mgtm.group.core.CoreLog;
import io.mgtm.group.core.DurabilityState;
import io.mgtm.group.core.Entry;
import io.mgtm.group.core.EntryKind;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import io.mgtm.group.core.Message;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Messages as bytes, big-endian.
 *
 * <pre>
 * | version:u8 | type:u8 | sender (as in {@link Membership}) | term:i64 | founding:u128 | the type's fields |
 * entry: | term:i64 | kind:u8 | durability:u8 | bytes:i32 | payload |
 * </pre>
 *
 * <p>The founding is 0 for none. Version 1 had no founding, and its votes did not say which group
 * they were for; so it is not taken.
 */
public final class MessageCodec {
  private static final byte VERSION = 2;

  /** Beside the number of configured names: that of the witness follows them. */
  private static final int WITH_WITNESS = 0x80;

  /** Beside that number: what the group would begin with follows them, and the witness. */
  private static final int WITH_BEGINNING = 0x40;

  private static final int HEADER_BYTES = 2 + 17 + Membership.NAME_BYTES_MAX + 8 + 16;
  private static final int ENTRY_HEADER_BYTES = 8 + 1 + 1 + 4;
  private static final int FIELDS_BYTES_MAX = 128 + Membership.NAME_BYTES_MAX;

  private static final byte HELLO = 1;
  private static final byte HELLO_REPLY = 2;
  private static final byte PRE_VOTE = 3;
  private static final byte PRE_VOTE_REPLY = 4;
  private static final byte VOTE = 5;
  private static final byte VOTE_REPLY = 6;
  private static final byte APPEND = 7;
  private static final byte APPEND_REPLY = 8;
  private static final byte CAUGHT_UP = 11;
  private static final byte TRANSFER_NOW = 12;
  private static final byte DIVERGED = 13;
  private static final byte FOREIGN = 14;
  private static final byte NOT_A_MEMBER = 15;

  // 9 and 10 were pieces of checkpoints without checksums, and the answers to them.
  private static final byte CHECKPOINT_PIECE = 16;
  private static final byte CHECKPOINT_REPLY = 17;
  private static final byte OLDER_COPY = 18;
  private static final byte NO_ROOM = 19;
  private static final UUID NO_FOUNDING = new UUID(0, 0);

  /** A message and who sent it. */
  public record Envelope(MemberId from, Message message) {}

  private MessageCodec() {}

  /** The bytes of a message. */
  public static byte[] encode(MemberId from, Message message) {
    if (message instanceof Message.OfOrder ordered) {
      return OrderCodec.encode(from, ordered);
    }
    ByteBuffer to = ByteBuffer.allocate(HEADER_BYTES + FIELDS_BYTES_MAX + variableBytes(message));
    to.put(VERSION).put((byte) 0);
    Membership.encode(from, to);
    to.putLong(message.term());
    UUID founding = message.founding() == null ? NO_FOUNDING : message.founding();
    to.putLong(founding.getMostSignificantBits()).putLong(founding.getLeastSignificantBits());
    byte type;
    if (message instanceof Message.Append m) {
      type = APPEND;
      append(m, to);
    } else if (message instanceof Message.AppendReply m) {
      type = APPEND_REPLY;
      to.putLong(m.incarnation()).put(m.durabilityState().code()).putLong(m.round());
      to.put(flag(m.matched())).putLong(m.index()).putLong(m.durableIndex());
      to.putLong(m.hintIndex()).putLong(m.hintTerm()).putInt((int) m.promisedMs());
    } else if (message instanceof Message.CheckpointPiece m) {
      type = CHECKPOINT_PIECE;
      CoreLog.Checkpoint of = m.checkpoint();
      to.putLong(m.round()).putLong(of.index()).putLong(of.term());
      to.put(of.membership().encoded()).putLong(of.bytes()).putInt(of.crc());
      to.putLong(m.offset()).putInt(m.crc()).put(m.piece().duplicate());
    } else if (message instanceof Message.CheckpointReply m) {
      type = CHECKPOINT_REPLY;
      to.putLong(m.incarnation()).put(m.durabilityState().code()).putLong(m.round());
      to.putLong(m.index()).putLong(m.nextOffset());
    } else {
      type = rare(message, to);
    }
    to.put(1, type);
    byte[] bytes = new byte[to.flip().remaining()];
    to.get(bytes);
    return bytes;
  }

  private static int variableBytes(Message message) {
    if (message instanceof Message.Append m) {
      int bytes = 0;
      for (Entry entry : m.entries()) {
        bytes = Math.addExact(bytes, ENTRY_HEADER_BYTES + entry.payload().remaining());
      }
      return bytes;
    }
    if (message instanceof Message.CheckpointPiece m) {
      return m.piece().remaining() + m.checkpoint().membership().encoded().length;
    }
    if (message instanceof Message.NotAMember m) {
      return m.membership().encoded().length;
    }
    if (message instanceof Message.HelloReply m) {
      return m.initial().encoded().length
          + 2
          + Configured.BEGINNING_BYTES_MAX
          + (1 + m.configured().members().size()) * (1 + Membership.NAME_BYTES_MAX);
    }
    return 0;
  }

  private static void append(Message.Append m, ByteBuffer to) {
    to.putLong(m.round()).putLong(m.previousIndex()).putLong(m.previousTerm());
    to.putLong(m.commitIndex()).putInt(m.entries().size());
    for (Entry entry : m.entries()) {
      to.putLong(entry.term()).put(entry.kind().code());
      to.put(entry.durability().code()).putInt(entry.payload().remaining());
      to.put(entry.payload().duplicate());
    }
  }

  private static byte rare(Message message, ByteBuffer to) {
    if (message instanceof Message.Hello m) {
      to.putLong(m.nonce());
      return HELLO;
    } else if (message instanceof Message.HelloReply m) {
      name(m.leader(), to.putLong(m.nonce()));
      configured(m.configured(), to);
      to.put(m.initial().encoded());
      return HELLO_REPLY;
    } else if (message instanceof Message.Foreign) {
      return FOREIGN;
    } else if (message instanceof Message.NotAMember m) {
      to.put(m.membership().encoded());
      return NOT_A_MEMBER;
    } else if (message instanceof Message.PreVote m) {
      to.putLong(m.forTerm()).putLong(m.lastTerm()).putLong(m.lastIndex());
      return PRE_VOTE;
    } else if (message instanceof Message.PreVoteReply m) {
      to.putLong(m.forTerm()).put(flag(m.granted())).put(m.durabilityState().code());
      return PRE_VOTE_REPLY;
    } else if (message instanceof Message.Vote m) {
      to.putLong(m.lastTerm())
          .putLong(m.lastIndex())
          .put(flag(m.unclean()))
          .put(flag(m.transfer()));
      return VOTE;
    } else if (message instanceof Message.VoteReply m) {
      to.put(flag(m.granted())).put(m.durabilityState().code());
      return VOTE_REPLY;
    } else if (message instanceof Message.CaughtUp m) {
      to.putLong(m.incarnation());
      return CAUGHT_UP;
    } else if (message instanceof Message.TransferNow m) {
      to.putLong(m.incarnation());
      return TRANSFER_NOW;
    } else if (message instanceof Message.OlderCopy m) {
      to.putLong(m.incarnation()).putLong(m.known());
      return OLDER_COPY;
    } else if (message instanceof Message.NoRoom m) {
      to.putLong(m.incarnation());
      return NO_ROOM;
    }
    to.putLong(((Message.Diverged) message).index());
    return DIVERGED;
  }

  private static void configured(Configured of, ByteBuffer to) {
    boolean witness = !of.witness().isEmpty();
    boolean beginning = !of.beginning().isEmpty();
    int flags = (witness ? WITH_WITNESS : 0) | (beginning ? WITH_BEGINNING : 0);
    to.put((byte) (of.members().size() | flags));
    of.members().forEach(name -> name(name, to));
    if (witness) {
      name(of.witness(), to);
    }
    if (beginning) {
      name(of.beginning(), to);
    }
  }

  private static byte flag(boolean set) {
    return (byte) (set ? 1 : 0);
  }

  /**
   * Reads a message; payloads are views of the buffer.
   *
   * @throws IllegalArgumentException when it is none of this version
   */
  public static Envelope decode(ByteBuffer from) {
    if (OrderCodec.isOne(from)) {
      return OrderCodec.decode(from);
    }
    try {
      byte version = from.get();
      if (version != VERSION) {
        throw new IllegalArgumentException(
            "a message of version %d, and this program speaks %d".formatted(version, VERSION));
      }
      byte type = from.get();
      MemberId sender = Membership.decodeMember(from);
      long term = from.getLong();
      UUID founding = new UUID(from.getLong(), from.getLong());
      return new Envelope(
          sender, message(type, term, founding.equals(NO_FOUNDING) ? null : founding, from));
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("a message that is cut off", e);
    }
  }

  private static Message message(byte type, long term, UUID founding, ByteBuffer in) {
    return switch (type) {
      case HELLO -> new Message.Hello(term, founding, in.getLong());
      case HELLO_REPLY -> readHelloReply(term, in);
      case FOREIGN -> new Message.Foreign(term, founding);
      case NOT_A_MEMBER -> new Message.NotAMember(term, founding, Membership.decode(in));
      case PRE_VOTE ->
          new Message.PreVote(term, founding, in.getLong(), in.getLong(), in.getLong());
      case PRE_VOTE_REPLY ->
          new Message.PreVoteReply(term, in.getLong(), in.get() != 0, durabilityState(in));
      case VOTE ->
          new Message.Vote(
              term, founding, in.getLong(), in.getLong(), in.get() != 0, in.get() != 0);
      case VOTE_REPLY -> new Message.VoteReply(term, in.get() != 0, durabilityState(in));
      case APPEND -> readAppend(term, founding, in);
      case APPEND_REPLY ->
          new Message.AppendReply(
              term,
              in.getLong(),
              durabilityState(in),
              in.getLong(),
              in.get() != 0,
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.hasRemaining() ? in.getInt() : 0); // earlier programs promise nothing
      case CHECKPOINT_PIECE ->
          new Message.CheckpointPiece(
              term,
              founding,
              in.getLong(),
              new CoreLog.Checkpoint(
                  in.getLong(), in.getLong(), Membership.decode(in), in.getLong(), in.getInt()),
              in.getLong(),
              in.getInt(),
              in.slice());
      case CHECKPOINT_REPLY ->
          new Message.CheckpointReply(
              term, in.getLong(), durabilityState(in), in.getLong(), in.getLong(), in.getLong());
      case CAUGHT_UP -> new Message.CaughtUp(term, in.getLong());
      case TRANSFER_NOW -> new Message.TransferNow(term, in.getLong());
      case OLDER_COPY -> new Message.OlderCopy(term, in.getLong(), in.getLong());
      case DIVERGED -> new Message.Diverged(term, in.getLong());
      case NO_ROOM -> new Message.NoRoom(term, in.getLong());
      default -> throw new IllegalArgumentException("a message of type " + type);
    };
  }

  private static Message readHelloReply(long term, ByteBuffer in) {
    long nonce = in.getLong();
    String leader = name(in);
    int counted = Byte.toUnsignedInt(in.get());
    List<String> members = names(in, counted & ~(WITH_WITNESS | WITH_BEGINNING));
    String witness = (counted & WITH_WITNESS) == 0 ? "" : name(in);
    String beginning = (counted & WITH_BEGINNING) == 0 ? "" : name(in);
    return new Message.HelloReply(
        term, nonce, leader, new Configured(members, witness, beginning), Membership.decode(in));
  }

  private static Message readAppend(long term, UUID founding, ByteBuffer in) {
    long round = in.getLong();
    long previousIndex = in.getLong();
    long previousTerm = in.getLong();
    long commitIndex = in.getLong();
    int count = in.getInt();
    if (count < 0 || count > in.remaining() / ENTRY_HEADER_BYTES) {
      throw new IllegalArgumentException("a message that says it has %d entries".formatted(count));
    }
    List<Entry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long entryTerm = in.getLong();
      EntryKind kind = EntryKind.of(in.get());
      Durability durability = Durability.of(in.get());
      int bytes = in.getInt();
      entries.add(new Entry(entryTerm, kind, durability, in.slice(in.position(), bytes)));
      in.position(in.position() + bytes);
    }
    return new Message.Append(
        term, founding, round, previousIndex, previousTerm, commitIndex, entries);
  }

  private static DurabilityState durabilityState(ByteBuffer in) {
    return DurabilityState.of(in.get());
  }

  private static void name(String name, ByteBuffer to) {
    byte[] bytes = name.getBytes(UTF_8);
    to.put((byte) bytes.length).put(bytes);
  }

  private static String name(ByteBuffer in) {
    byte[] bytes = new byte[Byte.toUnsignedInt(in.get())];
    in.get(bytes);
    return new String(bytes, UTF_8);
  }

  private static List<String> names(ByteBuffer in, int count) {
    if (count > Membership.MEMBERS_MAX) {
      throw new IllegalArgumentException("a message that names %d members".formatted(count));
    }
    List<String> names = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      names.add(name(in));
    }
    return List.copyOf(names);
  }
}
