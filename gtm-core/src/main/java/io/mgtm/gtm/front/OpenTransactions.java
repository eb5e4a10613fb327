package io.mgtm.gtm.front;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.TransactionCommand;
import io.netty.buffer.ByteBuf;

/**
 * Counts the transactions that a client has begun and neither ended nor prepared, so that a front
 * that drains knows when the client is done.
 */
final class OpenTransactions {
  private final class Target implements ReplyTarget {
    private final FrontConnection connection;
    private final int opened;

    Target(FrontConnection connection, int opened) {
      this.connection = connection;
      this.opened = opened;
    }

    @Override
    public void reply(boolean close, ByteBuf bytes) {
      if (opened != 0 && bytes.isReadable() && bytes.getByte(bytes.readerIndex()) == 'S') {
        count = Math.max(0, count + opened);
      }
      connection.reply(close, bytes);
    }

    @Override
    public void lost(String message, String hint) {
      connection.lost(message, hint);
    }
  }

  private int count;
  private Target begins;
  private Target ends;
  private Target others;

  int count() {
    return count;
  }

  /** Who waits for the reply to a command, and counts what it did. */
  ReplyTarget targetOf(Command command, FrontConnection connection) {
    return switch (command.type()) {
      case BEGIN, BEGIN_FOR_PREPARED -> {
        if (begins == null) {
          begins = new Target(connection, 1);
        }
        yield begins;
      }
      case END, PREPARE, COMMIT_PREPARED -> {
        if (ends == null) {
          ends = new Target(connection, -1);
        }
        yield ends;
      }
      case BEGIN_MANY ->
          new Target(connection, ((TransactionCommand.BeginMany) command).items().size());
      case END_MANY ->
          new Target(connection, -((TransactionCommand.EndMany) command).transactions().size());
      default -> {
        if (others == null) {
          others = new Target(connection, 0);
        }
        yield others;
      }
    };
  }
}
