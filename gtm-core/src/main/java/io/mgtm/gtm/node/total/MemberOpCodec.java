package io.mgtm.gtm.node.total;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandCodec;
import io.mgtm.gtm.command.FieldReader;
import io.mgtm.gtm.command.FieldWriter;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.state.Limits;
import io.mgtm.gtm.wire.link.LinkCommand;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Proposals of mode {@code total} as bytes, big-endian.
 *
 * <pre>
 * proposal: | version:u8=3 | time:i64 | transactionsMax:i32 | snapshotGxidsMax:i32 | sequencesMax:i32 |
 *           | nodesMax:i32 | gxidStopMargin:i64 | gxidWarnMargin:i64 | op… |
 * op:       | type:u8 | fields |
 * </pre>
 *
 * The time is in µs since 2000-01-01 by the clock of the member that proposes; the limits are those
 * of its configuration: it is the link by which the commands came.
 */
final class MemberOpCodec {
  /** The version byte; {@link Restore#ENTRY_VERSION} is that of a piece of a backup. */
  static final byte VERSION = 3;

  static final int HEADER_BYTES = 1 + 8 + 4 * 4 + 2 * 8;

  /** What a commands op takes before its commands. */
  static final int COMMANDS_HEAD_BYTES = 1 + 4 * 8 + 4;

  private static final byte BEGIN = 1;
  private static final byte FIRST = 2;
  private static final byte ATTACH = 3;
  private static final byte DETACH = 4;
  private static final byte CLOSE = 5;
  private static final byte COMMANDS = 6;
  private static final byte GONE = 7;
  private static final byte EXPIRE = 8;

  /** What stands before the ops. */
  record Header(long micros, Limits limits) {}

  private MemberOpCodec() {}

  static void header(ByteBuffer to, long micros, Limits l) {
    to.put(VERSION).putLong(micros);
    to.putInt(l.transactionsMax()).putInt(l.snapshotGxidsMax()).putInt(l.sequencesMax());
    to.putInt(l.nodesMax()).putLong(l.gxidStopMargin()).putLong(l.gxidWarnMargin());
  }

  /** Reads what stands behind the version. */
  static Header header(ByteBuffer in) {
    return new Header(
        in.getLong(),
        new Limits(in.getInt(), in.getInt(), in.getInt(), in.getInt(), in.getLong(), in.getLong()));
  }

  /** Appends one op; throws BufferOverflowException when it does not fit. */
  static void encode(MemberOp op, ByteBuffer to) {
    if (op instanceof MemberOp.Commands o) {
      int head = to.position();
      to.position(head + COMMANDS_HEAD_BYTES);
      o.commands().forEach(command -> encode(command, to));
      commandsHead(o, to, head);
    } else if (op instanceof MemberOp.Attach o) {
      to.put(ATTACH).putLong(o.session()).putLong(o.attachment());
      FieldWriter.putBoolean(to, o.fresh());
      FieldWriter.putBoolean(to, o.proxied());
      FieldWriter.putString(to, o.member());
      FieldWriter.putString(to, o.gateway());
      to.put((byte) o.kind().code()).putInt(o.sessionsMax());
    } else if (op instanceof MemberOp.Detach o) {
      to.put(DETACH).putLong(o.session()).putLong(o.attachment());
    } else if (op instanceof MemberOp.Close o) {
      to.put(CLOSE).putLong(o.session()).putLong(o.attachment());
    } else if (op instanceof MemberOp.Expire o) {
      to.put(EXPIRE).putLong(o.session()).putLong(o.detachedAt());
    } else if (op instanceof MemberOp.Begin o) {
      to.put(BEGIN);
      FieldWriter.putString(to, o.member());
      FieldWriter.putString(to, o.address());
    } else if (op instanceof MemberOp.Gone o) {
      to.put(GONE);
      FieldWriter.putString(to, o.member());
    } else if (op instanceof MemberOp.First o) {
      to.put(FIRST).putInt(o.commands().size());
      o.commands().forEach(command -> CommandCodec.encodeLogged(command, to));
    }
  }

  /**
   * Reads one op.
   *
   * @throws LogException with FORMAT when its type is of a newer version
   */
  static MemberOp decode(ByteBuffer in) {
    byte type = in.get();
    return switch (type) {
      case BEGIN -> new MemberOp.Begin(FieldReader.getString(in), FieldReader.getString(in));
      case FIRST -> new MemberOp.First(first(in));
      case ATTACH -> attach(in);
      case DETACH -> new MemberOp.Detach(in.getLong(), in.getLong());
      case CLOSE -> new MemberOp.Close(in.getLong(), in.getLong());
      case COMMANDS ->
          new MemberOp.Commands(
              in.getLong(), in.getLong(), in.getLong(), in.getLong(), commands(in));
      case GONE -> new MemberOp.Gone(FieldReader.getString(in));
      case EXPIRE -> new MemberOp.Expire(in.getLong(), in.getLong());
      default ->
          throw new LogException(
              Category.FORMAT,
              "The log was written by a newer mgtm (a proposal holds an op of type %d); start that version on it"
                  .formatted(type));
    };
  }

  /** Appends one command of a commands op. */
  static void encode(LinkCommand command, ByteBuffer to) {
    to.putShort(command.backend());
    CommandCodec.encode(command.command(), to);
  }

  /** Writes what stands before the commands of an op, at {@code head}. */
  static void commandsHead(MemberOp.Commands op, ByteBuffer to, int head) {
    int end = to.position();
    to.position(head);
    to.put(COMMANDS).putLong(op.session()).putLong(op.attachment());
    to.putLong(op.acked()).putLong(op.first()).putInt(op.commands().size());
    to.position(end);
  }

  private static MemberOp.Attach attach(ByteBuffer in) {
    long session = in.getLong();
    long attachment = in.getLong();
    boolean fresh = FieldReader.getBoolean(in);
    boolean proxied = FieldReader.getBoolean(in);
    String member = FieldReader.getString(in);
    String gateway = FieldReader.getString(in);
    GatewayKind kind = GatewayKind.ofCode(in.get());
    return new MemberOp.Attach(
        member, session, attachment, fresh, proxied, gateway, kind, in.getInt());
  }

  private static List<Command> first(ByteBuffer in) {
    int count = in.getInt();
    List<Command> commands = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      commands.add(CommandCodec.decodeLogged(in));
    }
    return commands;
  }

  private static List<LinkCommand> commands(ByteBuffer in) {
    int count = in.getInt();
    List<LinkCommand> commands = new ArrayList<>(Math.min(count, 1 << 10));
    for (int i = 0; i < count; i++) {
      commands.add(new LinkCommand(in.getShort(), CommandCodec.decode(in)));
    }
    return commands;
  }
}
