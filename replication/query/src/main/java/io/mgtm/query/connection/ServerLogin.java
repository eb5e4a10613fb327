package io.mgtm.query.connection;

import io.mgtm.common.HostPort;
import io.mgtm.query.scram.Scram;
import io.mgtm.query.scram.ScramClient;
import io.mgtm.query.scram.ScramException;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Messages;
import io.mgtm.query.wire.ServerDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Promise;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The beginning of one connection to a server, up to the first ReadyForQuery. */
final class ServerLogin extends ChannelInboundHandlerAdapter {
  private static final int GREETING_FRAMES_MAX = 256;
  private static final String REFUSED = "28000";
  private static final String BROKEN = "08006";

  private final HostPort server;
  private final SslContext tls;
  private final Supplier<ScramClient> scramSource;
  private final ServerDoor.Hello hello;
  private final Promise<ServerConnection> entered;
  private final List<Frame> greeting = new ArrayList<>();
  private ScramClient scram;
  private boolean verified;
  private int pid;
  private int secret;

  ServerLogin(
      HostPort server,
      SslContext tls,
      Supplier<ScramClient> scramSource,
      ServerDoor.Hello hello,
      Promise<ServerConnection> entered) {
    this.server = server;
    this.tls = tls;
    this.scramSource = scramSource;
    this.hello = hello;
    this.entered = entered;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    context.writeAndFlush(
        tls == null ? hello.on(context.channel()) : Messages.sslRequest(context.alloc()));
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof ServerDecoder.TlsAnswer answer) {
      secure(context, answer);
      return;
    }
    Frame frame = (Frame) message;
    boolean kept = false;
    try {
      kept = take(context, frame);
    } catch (LoginException e) {
      fail(e);
    } catch (ScramException e) {
      fail(REFUSED, "the server at " + server + " was not entered: " + e.getMessage());
    } finally {
      if (!kept) {
        frame.release();
      }
    }
  }

  private void secure(ChannelHandlerContext context, ServerDecoder.TlsAnswer answer) {
    if (answer == ServerDecoder.TlsAnswer.NO) {
      fail(
          BROKEN, "the server at " + server + " does not take TLS, which serverTls.trust asks for");
      return;
    }
    SslHandler handler = tls.newHandler(context.alloc(), server.host(), server.port());
    context.pipeline().addFirst(handler);
    handler
        .handshakeFuture()
        .addListener(
            done -> {
              if (done.isSuccess()) {
                context.writeAndFlush(hello.on(context.channel()));
              } else {
                fail(BROKEN, "no TLS with the server at " + server + ": " + done.cause());
              }
            });
  }

  /** Whether the frame is kept. */
  private boolean take(ChannelHandlerContext context, Frame frame)
      throws LoginException, ScramException {
    return switch (frame.type()) {
      case 'R' -> {
        authenticate(context, frame.body());
        yield false;
      }
      case 'K' -> {
        readKey(frame.body());
        yield false;
      }
      case 'E' -> throw new LoginException(ErrorFields.read(frame.body()));
      case 'S', 'N' -> keep(frame);
      case 'Z' -> {
        keep(frame);
        complete(context);
        yield true;
      }
      default -> throw broken("sent a message of type " + frame.type() + " before it was ready");
    };
  }

  private void readKey(ByteBuf key) throws LoginException {
    if (key.readableBytes() != 2 * Integer.BYTES) {
      throw broken("sent a key of " + key.readableBytes() + " bytes");
    }
    pid = key.readInt();
    secret = key.readInt();
  }

  private boolean keep(Frame frame) throws LoginException {
    if (greeting.size() >= GREETING_FRAMES_MAX) {
      throw broken("sent more than " + GREETING_FRAMES_MAX + " messages before it was ready");
    }
    greeting.add(frame);
    return true;
  }

  private LoginException broken(String what) {
    return new LoginException(ErrorFields.fatal(BROKEN, "the server at " + server + " " + what));
  }

  private void authenticate(ChannelHandlerContext context, ByteBuf body)
      throws LoginException, ScramException {
    int which = body.readableBytes() < Integer.BYTES ? -1 : body.readInt();
    switch (which) {
      case Messages.AUTHENTICATION_OK -> {
        if (scram != null && !verified) {
          throw broken("did not prove that it knows the role's verifier");
        }
      }
      case Messages.AUTHENTICATION_SASL -> {
        if (scramSource == null || scram != null) {
          throw refused(
              "asks for a password, and there is none to give: let it trust this"
                  + " replicator, or let access ask for scram-sha-256");
        }
        scram = scramSource.get();
        context.writeAndFlush(
            Messages.saslInitialResponse(context.alloc(), Scram.MECHANISM, scram.first()));
      }
      case Messages.AUTHENTICATION_SASL_CONTINUE -> {
        String answer = exchange().answer(body.toString(StandardCharsets.UTF_8));
        context.writeAndFlush(Messages.saslResponse(context.alloc(), answer));
      }
      case Messages.AUTHENTICATION_SASL_FINAL -> {
        exchange().verify(body.toString(StandardCharsets.UTF_8));
        verified = true;
      }
      default ->
          throw refused("asks for another authentication than scram-sha-256: change its pg_hba");
    }
  }

  private ScramClient exchange() throws LoginException {
    if (scram == null) {
      throw broken("went on with a SCRAM exchange that was not begun");
    }
    return scram;
  }

  private LoginException refused(String what) {
    return new LoginException(ErrorFields.fatal(REFUSED, "the server at " + server + " " + what));
  }

  private void complete(ChannelHandlerContext context) {
    ServerConnection connection =
        new ServerConnection(server, context.channel(), pid, secret, greeting);
    greeting.clear();
    context.pipeline().remove(this);
    if (!entered.trySuccess(connection)) {
      connection.releaseGreeting();
      context.close();
    }
  }

  private void fail(String sqlState, String message) {
    fail(new LoginException(ErrorFields.fatal(sqlState, message)));
  }

  /** The promise's failure closes the connection. */
  private void fail(LoginException cause) {
    entered.tryFailure(cause);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    fail(BROKEN, "the connection to the server at " + server + " broke: " + cause.getMessage());
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    fail(BROKEN, "the server at " + server + " closed the connection");
    releaseGreeting();
  }

  private void releaseGreeting() {
    greeting.forEach(ReferenceCountUtil::release);
    greeting.clear();
  }
}
