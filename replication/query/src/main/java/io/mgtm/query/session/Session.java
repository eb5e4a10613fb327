package io.mgtm.query.session;

import io.mgtm.query.connection.Loops;
import io.mgtm.query.connection.ServerConnection;
import io.mgtm.query.connection.ServerDoor;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Messages;
import io.mgtm.query.wire.WireException;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A client and the server behind it: every message goes through in its order. Nothing is read from
 * one end while more waits for the other than {@code limits.outboundBytesMax}. Belongs to one event
 * loop, which runs both connections; {@link #drain}, {@link #cancel} and {@link #end} may be called
 * by any thread.
 */
public final class Session implements OpenSession {
  private final int pid;
  private final int secret;
  private final Channel client;
  private final ServerConnection server;
  private final ServerDoor door;
  private final Sessions sessions;

  /** Queries and Syncs whose ReadyForQuery has not come. */
  private int unanswered;

  private boolean inTransaction;
  private boolean draining;
  private boolean ended;

  /** A session that has not begun, of a client that is let in and its server. */
  public Session(
      int pid, Channel client, ServerConnection server, ServerDoor door, Sessions sessions) {
    this.pid = pid;
    this.secret = sessions.secret();
    this.client = client;
    this.server = server;
    this.door = door;
    this.sessions = sessions;
  }

  @Override
  public int pid() {
    return pid;
  }

  @Override
  public int secret() {
    return secret;
  }

  /** Greets the client and begins to pass messages; on the loop. */
  public void begin() {
    client.write(Messages.authenticationOk(client.alloc()));
    for (Frame frame : server.greeting()) {
      if (frame.type() == 'Z') {
        client.write(Messages.backendKeyData(client.alloc(), pid, secret));
      }
      client.write(frame.content());
    }
    client.flush();
    client.pipeline().addLast(new End(true));
    server.channel().pipeline().addLast(new End(false));
    if (!client.isActive() || !server.channel().isActive()) {
      end(ErrorFields.fatal("08006", "the server at " + server.server() + " is gone"));
    }
  }

  private void fromClient(Frame frame) {
    switch (frame.type()) {
      // A Sync within COPY FROM is not answered, so that this may stay above 0: the session then
      // counts as busy when it is drained, and nothing else depends on it.
      case 'Q', 'S', 'F' -> unanswered++;
      case 'X' -> {
        frame.release();
        end(null);
        return;
      }
      default -> {
        // Everything else is answered at the next Sync.
      }
    }
    server.channel().write(frame.content());
  }

  private void fromServer(Frame frame) {
    if (frame.type() == 'Z') {
      unanswered = Math.max(0, unanswered - 1);
      inTransaction = frame.body().getByte(frame.body().readerIndex()) != 'I';
    } else if (frame.type() == 'E' && isLast(frame)) {
      client.write(frame.content());
      end(null);
      return;
    }
    client.write(frame.content());
  }

  private static boolean isLast(Frame error) {
    String severity = ErrorFields.read(error.body()).severity();
    return severity.equals("FATAL") || severity.equals("PANIC");
  }

  private boolean isIdle() {
    return unanswered == 0 && !inTransaction;
  }

  /** Ends the session as soon as nothing runs in it and no transaction is open. */
  @Override
  public void drain() {
    client
        .eventLoop()
        .execute(
            () -> {
              draining = true;
              endIfDrained();
            });
  }

  private void endIfDrained() {
    if (draining && isIdle()) {
      stop();
    }
  }

  /** Asks the server to cancel what runs; completes when the server has taken it. */
  @Override
  public Future<?> cancel() {
    return door.cancel(client.eventLoop(), server.server(), server.pid(), server.secret());
  }

  @Override
  public List<Integer> backendsAt(Node node) {
    return List.of(server.pid());
  }

  @Override
  public CompletableFuture<Void> serverComes(Node node) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void serverOut(Node node) {
    // The only server there is, which stays.
  }

  @Override
  public void end(ErrorFields why) {
    if (!client.eventLoop().inEventLoop()) {
      client.eventLoop().execute(() -> end(why));
      return;
    }
    if (ended) {
      return;
    }
    ended = true;
    sessions.remove(this);
    if (why != null) {
      client.write(Messages.error(client.alloc(), why));
    }
    Loops.closeAfter(client, client.alloc().buffer(0));
    Loops.closeAfter(server.channel(), Messages.terminate(server.channel().alloc()));
  }

  /** What one of the two connections sends. */
  private final class End extends ChannelInboundHandlerAdapter {
    private final boolean ofClient;

    End(boolean ofClient) {
      this.ofClient = ofClient;
    }

    private Channel other() {
      return ofClient ? server.channel() : client;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (ended) {
        ReferenceCountUtil.release(message);
      } else if (ofClient) {
        fromClient((Frame) message);
      } else {
        fromServer((Frame) message);
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      other().flush();
      if (!ofClient) {
        endIfDrained();
      }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      other().config().setAutoRead(context.channel().isWritable());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      end(
          ofClient
              ? null
              : ErrorFields.fatal(
                  "08006", "the server at " + server.server() + " closed the connection"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      String sqlState = cause instanceof WireException wire ? wire.sqlState() : "08006";
      String whose = ofClient ? "the client's connection: " : "the server's connection: ";
      end(ErrorFields.fatal(sqlState, whose + cause.getMessage()));
    }
  }
}
