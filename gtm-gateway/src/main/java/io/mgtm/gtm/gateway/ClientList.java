package io.mgtm.gtm.gateway;

import io.mgtm.gtm.command.Command;
import io.netty.buffer.ByteBuf;

/**
 * The list that a client waits for. Nothing else that the client asks is submitted before it has
 * come whole. A list that is lost before its first piece is asked for again; one of which the
 * client has a part cannot be ended in any way but by closing the connection. Event loop.
 */
final class ClientList implements PulledReply.Taker {
  /** How often a list is asked for, when its leader is lost meanwhile. */
  private static final int TRIES = 5;

  private final GatewayConnection connection;
  private Command command;
  private short backend;
  private int tries;
  private boolean begun;
  private PulledReply coming;

  ClientList(GatewayConnection connection) {
    this.connection = connection;
  }

  boolean isAwaited() {
    return command != null;
  }

  /** The client's last command asks for a list. */
  void asked(short of, Command list) {
    command = list;
    backend = of;
    tries = 1;
    begun = false;
  }

  /** It has come whole, or an error instead. */
  void answered() {
    command = null;
    coming = null;
  }

  /** It comes in pieces. */
  void comes(PulledReply reply) {
    coming = reply;
    reply.takenBy(this);
    reply.pull();
  }

  /** The client's socket has room for more. */
  void goOn() {
    if (coming != null) {
      coming.pull();
    }
  }

  /** Whether pieces are to come. */
  boolean isPulled() {
    return coming != null;
  }

  /** The client has gone. */
  void drop() {
    PulledReply dropped = coming;
    coming = null;
    dropped.drop();
  }

  @Override
  public void piece(boolean last, ByteBuf bytes) {
    begun = true;
    if (last) {
      coming = null;
      connection.reply(false, bytes);
    } else {
      connection.piece(bytes);
    }
  }

  @Override
  public void lost() {
    coming = null;
    if (begun) {
      connection.listBroken();
    } else if (tries++ < TRIES && connection.submitAgain(backend, command)) {
      return;
    } else {
      connection.listFailed(backend);
    }
  }
}
