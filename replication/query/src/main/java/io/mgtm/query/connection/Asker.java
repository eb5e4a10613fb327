package io.mgtm.query.connection;

import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Messages;
import io.mgtm.query.wire.Rows;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A connection of the replicator's own role that asks and reads whole answers, one query after the
 * other. Any thread.
 */
public final class Asker implements AutoCloseable {
  /** What an answer may hold; one more row fails it. */
  private static final int ROWS_MAX = 5_000_000;

  /** From this one on a server may end a transaction because it lasts. */
  private static final int TIMEOUT_VERSION = 170_000;

  /** A query, and its rows so far. */
  private static final class Question {
    private final CompletableFuture<List<List<String>>> answer = new CompletableFuture<>();
    private final List<List<String>> rows = new ArrayList<>();
    private LoginException error;
  }

  private final ServerConnection connection;
  private final ArrayDeque<Question> asked = new ArrayDeque<>();
  private boolean gone;

  Asker(ServerConnection connection) {
    this.connection = connection;
    int version = Greeting.number(connection.setting(Greeting.VERSION));
    connection.releaseGreeting();
    connection.channel().pipeline().addLast(new Answers());
    if (version >= TIMEOUT_VERSION) {
      ask("SET transaction_timeout = 0");
    }
  }

  /** The rows of a query, or a {@link LoginException} with the server's error or with 08006. */
  public CompletableFuture<List<List<String>>> ask(String sql) {
    return ask(Messages.query(connection.channel().alloc(), sql));
  }

  /** The same, of a query with parameters. */
  CompletableFuture<List<List<String>>> ask(String sql, List<String> parameters) {
    return ask(Messages.extendedQuery(connection.channel().alloc(), sql, parameters));
  }

  private CompletableFuture<List<List<String>>> ask(ByteBuf query) {
    Question question = new Question();
    connection
        .channel()
        .eventLoop()
        .execute(
            () -> {
              if (isGone()) {
                query.release();
                question.answer.completeExceptionally(closed());
                return;
              }
              asked.add(question);
              connection.channel().writeAndFlush(query);
            });
    return question.answer;
  }

  /** Whether its connection has ended. On its loop. */
  boolean isGone() {
    return gone || !connection.channel().isActive();
  }

  private LoginException closed() {
    return new LoginException(
        ErrorFields.fatal("08006", "the server at " + connection.server() + " is gone"));
  }

  @Override
  public void close() {
    connection.channel().writeAndFlush(Messages.terminate(connection.channel().alloc()));
    connection.channel().close();
  }

  /** What the server answers. */
  private final class Answers extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      Frame frame = (Frame) message;
      try {
        Question question = asked.peek();
        if (question == null) {
          return;
        }
        switch (frame.type()) {
          case 'D' -> {
            if (question.rows.size() < ROWS_MAX) {
              question.rows.add(Rows.texts(frame.body()));
            } else {
              question.error =
                  new LoginException(ErrorFields.error("54000", "an answer has too many rows"));
            }
          }
          case 'E' -> question.error = new LoginException(ErrorFields.read(frame.body()));
          case 'Z' -> {
            asked.remove();
            if (question.error == null) {
              question.answer.complete(question.rows);
            } else {
              question.answer.completeExceptionally(question.error);
            }
          }
          default -> {
            // Descriptions, completions and notices say nothing that is asked for.
          }
        }
      } finally {
        frame.release();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      gone = true;
      List<Question> failed = new ArrayList<>(asked);
      asked.clear();
      failed.forEach(question -> question.answer.completeExceptionally(closed()));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
