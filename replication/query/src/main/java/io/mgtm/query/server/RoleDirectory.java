package io.mgtm.query.server;

import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.scram.ScramClient;
import io.mgtm.query.scram.ScramVerifier;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.FrameSplitter;
import io.mgtm.query.wire.Messages;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up the verifiers of roles' passwords at a server, each time anew, so that a password that
 * is changed there holds at once. Its one connection, made when it is needed, belongs to its loop;
 * {@link #find} may be called by any thread.
 */
final class RoleDirectory {
  private static final Logger log = LoggerFactory.getLogger(RoleDirectory.class);

  /** Lookups that wait for their answer; one more is refused. */
  private static final int WAITING_MAX = 1_024;

  private static final String SQL =
      "SELECT rolpassword FROM pg_catalog.pg_authid WHERE rolname = $1 AND rolcanlogin"
          + " AND (rolvaliduntil IS NULL OR rolvaliduntil > pg_catalog.now())";

  /** One lookup. */
  private static final class Lookup {
    private final String user;
    private final CompletableFuture<Optional<ScramVerifier>> found = new CompletableFuture<>();
    private Optional<ScramVerifier> verifier = Optional.empty();
    private ErrorFields error;

    Lookup(String user) {
      this.user = user;
    }
  }

  private final QueryConfig config;
  private final EventLoop loop;
  private final ServerDoor door;
  private final Supplier<HostPort> server;
  private final Supplier<ScramClient> scram;
  private final ArrayDeque<Lookup> waiting = new ArrayDeque<>();
  private ServerConnection connection;
  private boolean entering;
  private boolean closed;

  /**
   * A directory that is not connected yet.
   *
   * @param server which to ask
   */
  RoleDirectory(QueryConfig config, EventLoop loop, ServerDoor door, Supplier<HostPort> server) {
    this.server = server;
    this.config = config;
    this.loop = loop;
    this.door = door;
    this.scram = door.own();
  }

  /**
   * The verifier of a role that may log in, or empty when there is none; completes on the
   * directory's loop, exceptionally with a {@link LoginException} when the server cannot be asked.
   */
  CompletableFuture<Optional<ScramVerifier>> find(String user) {
    Lookup lookup = new Lookup(user);
    loop.execute(() -> begin(lookup));
    return lookup.found;
  }

  private void begin(Lookup lookup) {
    if (closed || waiting.size() >= WAITING_MAX) {
      lookup.found.completeExceptionally(
          new LoginException(ErrorFields.fatal("53300", "too many clients log in at once")));
      return;
    }
    if (connection != null && !connection.server().equals(server.get())) {
      failAll(failure("08006", "the server at " + connection.server() + " is out"));
    }
    waiting.add(lookup);
    loop.schedule(
        () -> {
          if (!lookup.found.isDone()) {
            failAll(failure("08006", "the server did not answer who " + lookup.user + " is"));
          }
        },
        config.timeouts().connectMs(),
        TimeUnit.MILLISECONDS);
    if (connection != null) {
      send(lookup);
    } else if (!entering) {
      entering = true;
      enter();
    }
  }

  private void enter() {
    Map<String, String> parameters =
        Map.of(
            "user",
            config.role().user(),
            "database",
            config.role().database(),
            "application_name",
            "mgtm query",
            "client_encoding",
            "UTF8");
    door.enter(loop, server.get(), FrameSplitter.Sender.SERVER_HELD, parameters, scram)
        .addListener(this::entered);
  }

  private void entered(Future<? super ServerConnection> done) {
    entering = false;
    if (!done.isSuccess()) {
      ErrorFields why = LoginException.fieldsOf(done.cause());
      failAll(
          failure(
              why.sqlState(),
              "the role " + config.role().user() + " cannot look up passwords: " + why.message()));
      return;
    }
    connection = (ServerConnection) done.getNow();
    connection.releaseGreeting();
    if (closed) {
      connection.channel().close();
      return;
    }
    connection.channel().pipeline().addLast(new Answers(connection));
    waiting.forEach(this::send);
  }

  private void send(Lookup lookup) {
    connection
        .channel()
        .writeAndFlush(
            Messages.extendedQuery(connection.channel().alloc(), SQL, List.of(lookup.user)));
  }

  private static LoginException failure(String sqlState, String message) {
    return new LoginException(ErrorFields.fatal(sqlState, message));
  }

  /** Also drops the connection: what it may still answer belongs to nobody. */
  private void failAll(LoginException cause) {
    if (connection != null) {
      connection.channel().close();
      connection = null;
    }
    List<Lookup> failed = new ArrayList<>(waiting);
    waiting.clear();
    failed.forEach(lookup -> lookup.found.completeExceptionally(cause));
  }

  /** Takes no lookups any more. Any thread. */
  void close() {
    loop.execute(
        () -> {
          closed = true;
          failAll(failure("57P01", "the replicator stops"));
        });
  }

  /** What the server answers, in the order of the lookups. */
  private final class Answers extends ChannelInboundHandlerAdapter {
    private final ServerConnection own;

    Answers(ServerConnection own) {
      this.own = own;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      Frame frame = (Frame) message;
      try {
        Lookup lookup = waiting.peek();
        if (!isCurrent() || lookup == null) {
          return;
        }
        switch (frame.type()) {
          case 'D' -> lookup.verifier = column(frame.body()).flatMap(ScramVerifier::parse);
          case 'E' -> lookup.error = ErrorFields.read(frame.body());
          case 'Z' -> end(waiting.remove());
          default -> {
            // Completions, notices and parameters say nothing that is asked for.
          }
        }
      } finally {
        frame.release();
      }
    }

    private boolean isCurrent() {
      return connection != null && connection.channel() == own.channel();
    }

    private void end(Lookup lookup) {
      if (lookup.error == null) {
        lookup.found.complete(lookup.verifier);
      } else {
        lookup.found.completeExceptionally(
            failure(
                lookup.error.sqlState(),
                "the role %s cannot look up passwords: %s"
                    .formatted(config.role().user(), lookup.error.message())));
      }
    }

    /** The first column of a row, when it is not null. */
    private Optional<String> column(ByteBuf row) {
      row.readShort();
      int bytes = row.readInt();
      return bytes < 0
          ? Optional.empty()
          : Optional.of(row.readCharSequence(bytes, StandardCharsets.UTF_8).toString());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      log.warn("The connection to {} that looks up roles broke: {}", own, cause.toString());
      context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (isCurrent()) {
        failAll(failure("08006", "the server at " + own.server() + " closed the connection"));
      }
    }
  }
}
