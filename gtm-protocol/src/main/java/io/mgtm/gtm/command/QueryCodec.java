package io.mgtm.gtm.command;

import java.nio.ByteBuffer;

/**
 * Commands as a gateway sends them: those that {@link CommandEncoder} knows as it writes them, and
 * the queries, which no log holds, in the same form.
 */
public final class QueryCodec {
  private QueryCodec() {}

  /**
   * Appends one command or query to {@code out}.
   *
   * @throws java.nio.BufferOverflowException when it does not fit
   */
  public static void encode(Command command, ByteBuffer out) {
    if (!command.type().query()) {
      CommandEncoder.encode(command, out);
      return;
    }
    out.put(command.type().code());
    if (command instanceof TransactionCommand.GetStatus c) {
      FieldWriter.putBoolean(out, c.transaction().byGxid());
      out.putInt(c.transaction().value());
    } else if (command instanceof SequenceCommand.LastValue c) {
      FieldWriter.putString(out, c.key());
    } else if (command instanceof BackupCommand.BeginBackup c) {
      out.putLong(c.session());
    } else if (command instanceof BackupCommand.EndBackup c) {
      out.putLong(c.session());
    }
  }

  /**
   * Reads one command or query.
   *
   * @throws CommandDecoder.UnknownCommandException when its code or a field's value is of a newer
   *     version
   * @throws java.nio.BufferUnderflowException when the bytes end within it
   */
  public static Command decode(ByteBuffer in) {
    CommandType type = in.hasRemaining() ? CommandType.ofCode(in.get(in.position())) : null;
    if (type == null || !type.query()) {
      return CommandDecoder.decode(in);
    }
    in.get();
    return switch (type) {
      case GET_NEXT_GXID -> new TransactionCommand.GetNextGxid();
      case GET_STATUS ->
          new TransactionCommand.GetStatus(
              new TransactionRef(FieldReader.getBoolean(in), in.getInt()));
      case LIST_TRANSACTIONS -> new TransactionCommand.ListTransactions();
      case LIST_PREPARED -> new TransactionCommand.ListPrepared();
      case LAST_VALUE -> new SequenceCommand.LastValue(FieldReader.getString(in));
      case LIST_SEQUENCES -> new SequenceCommand.ListAll();
      case LIST_NODES -> new NodeCommand.ListAll();
      case BEGIN_BACKUP -> new BackupCommand.BeginBackup(in.getLong());
      case END_BACKUP -> new BackupCommand.EndBackup(in.getLong());
      case LIST_BARRIERS -> new BackupCommand.ListBarriers();
      default -> throw new IllegalStateException(type + " is no query");
    };
  }
}
