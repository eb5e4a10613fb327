package io.mgtm.gtm.gateway;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.TransactionCommand;
import io.netty.buffer.ByteBuf;

/**
 * Counts the transactions that a client has begun and neither ended nor prepared, so that a gateway
 * that drains knows when the client is done; and the snapshots that it waits for, so that not too
 * many are.
 */
final class OpenTransactions {
  /** Snapshots that one client may wait for, as they are long; a proxy's are for many clients. */
  private static final int SNAPSHOTS_MAX = 64;

  private static final int PROXY_SNAPSHOTS_MAX = 512;

  private class Target implements ReplyTarget {
    private final GatewayConnection connection;
    private final int opened;

    Target(GatewayConnection connection, int opened) {
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
    public void pieces(PulledReply reply) {
      connection.pieces(reply);
    }

    @Override
    public void lost(String message, String hint) {
      connection.lost(message, hint);
    }
  }

  /** Who waits for a snapshot. */
  private final class SnapshotTarget extends Target {
    SnapshotTarget(GatewayConnection connection) {
      super(connection, 0);
    }

    @Override
    public void reply(boolean close, ByteBuf bytes) {
      snapshotsAwaited--;
      super.reply(close, bytes);
    }
  }

  private int count;
  private int snapshotsAwaited;
  private Target begins;
  private Target ends;
  private Target snapshots;
  private Target others;

  int count() {
    return count;
  }

  /** Whether a client may ask for more before the snapshots that it waits for have come. */
  boolean takesMore(boolean proxied) {
    return snapshotsAwaited < (proxied ? PROXY_SNAPSHOTS_MAX : SNAPSHOTS_MAX);
  }

  /** Who waits for the reply to a command, and counts what it did. */
  ReplyTarget targetOf(Command command, GatewayConnection connection) {
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
      case GET_SNAPSHOT, GET_SNAPSHOT_MANY, ASSIGN_GXID_AND_GET_SNAPSHOT -> {
        if (snapshots == null) {
          snapshots = new SnapshotTarget(connection);
        }
        snapshotsAwaited++;
        yield snapshots;
      }
      default -> {
        if (others == null) {
          others = new Target(connection, 0);
        }
        yield others;
      }
    };
  }
}
