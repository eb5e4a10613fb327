package io.mgtm.query.member;

import io.mgtm.query.config.AccessRule;
import io.mgtm.query.connection.LoginException;
import io.mgtm.query.connection.SaslExchange;
import io.mgtm.query.connection.ServerConnection;
import io.mgtm.query.scram.ScramClient;
import io.mgtm.query.scram.ScramException;
import io.mgtm.query.scram.ScramKeys;
import io.mgtm.query.scram.ScramVerifier;
import io.mgtm.query.session.OpenSession;
import io.mgtm.query.session.ReplicatedSession;
import io.mgtm.query.session.Session;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.FrameSplitter;
import io.mgtm.query.wire.Messages;
import io.mgtm.query.wire.StartupPacket;
import io.mgtm.query.wire.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The beginning of one client's connection: encryption, who may come in, the client's proof; then
 * the server is entered with what the proof gave, and a {@link Session} takes over.
 */
final class ClientLogin extends ChannelInboundHandlerAdapter {
  /** What is waited for. */
  private enum Phase {
    STARTUP,
    LOOKING_UP,
    PROVING,
    ENTERING,
    DONE
  }

  private static final Set<String> NO_REPLICATION = Set.of("", "false", "off", "no", "0");
  private static final byte[] UNBOUND = {};

  private final Entrance entrance;
  private final ErrorFields refusal;
  private Phase phase = Phase.STARTUP;

  /** What it enters; another one may have begun meanwhile. */
  private Tenure tenure;

  /** Of another member that forwards the client, or null. */
  private ForwardClaim claim;

  /** The same, when it is proved. */
  private StartupPacket.Forward forwarded;

  private boolean encrypted;
  private Map<String, String> parameters;
  private SaslExchange sasl;
  private Promise<ServerConnection> entering;
  private ReplicatedLogin all;
  private Future<?> timeout;

  /**
   * One that begins.
   *
   * @param refusal what it comes to, or null
   */
  ClientLogin(Entrance entrance, ErrorFields refusal) {
    this.entrance = entrance;
    this.refusal = refusal;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    timeout =
        context
            .executor()
            .schedule(
                () -> refuse(context, "57014", "canceling authentication due to timeout"),
                entrance.config().timeouts().startupMs(),
                TimeUnit.MILLISECONDS);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    try {
      if (phase == Phase.DONE) {
        return;
      }
      if (message instanceof StartupPacket packet) {
        startup(context, packet);
      } else {
        authenticate(context, (Frame) message);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void startup(ChannelHandlerContext context, StartupPacket packet) {
    if (packet instanceof StartupPacket.Start start) {
      start(context, start);
    } else if (packet instanceof StartupPacket.Cancel cancel) {
      cancel(context, cancel);
    } else if (packet instanceof StartupPacket.Forward says) {
      claim(context, says);
    } else if (packet instanceof StartupPacket.Proof proof) {
      prove(context, proof);
    } else if (packet instanceof StartupPacket.Ssl && entrance.tls() != null && !encrypted) {
      encrypted = true;
      ByteBuf yes = Unpooled.copiedBuffer("S", StandardCharsets.US_ASCII);
      context.writeAndFlush(yes);
      context.pipeline().addFirst(entrance.tls().newHandler(context.alloc()));
    } else {
      context.writeAndFlush(Unpooled.copiedBuffer("N", StandardCharsets.US_ASCII));
    }
  }

  /** Who does not serve says nothing: who forwards the client holds it, and tries again. */
  private void claim(ChannelHandlerContext context, StartupPacket.Forward says) {
    Tenure now = entrance.tenure();
    if (now == null || claim != null || encrypted) {
      drop(context);
      return;
    }
    claim = new ForwardClaim(says, now);
    context.writeAndFlush(claim.challenge());
  }

  private void prove(ChannelHandlerContext context, StartupPacket.Proof proof) {
    if (claim == null || forwarded != null || !claim.isProvedBy(proof)) {
      drop(context);
      return;
    }
    forwarded = claim.says();
    ChannelFuture told =
        context.writeAndFlush(context.alloc().buffer(1).writeByte(StartupPacket.TAKEN));
    if (forwarded.client() == null) {
      stop();
      claim.drain();
      told.addListener(ChannelFutureListener.CLOSE);
    }
  }

  /** As PostgreSQL does, nothing is answered: the connection closes when the server knows. */
  private void cancel(ChannelHandlerContext context, StartupPacket.Cancel cancel) {
    phase = Phase.DONE;
    Tenure now = entrance.tenure();
    OpenSession session = now == null ? null : now.sessions().find(cancel.pid(), cancel.secret());
    if (session == null) {
      context.close();
    } else {
      session.cancel().addListener(done -> context.close());
    }
  }

  private void start(ChannelHandlerContext context, StartupPacket.Start start) {
    parameters = new LinkedHashMap<>(start.parameters());
    String user = parameters.getOrDefault("user", "");
    String database = parameters.computeIfAbsent("database", key -> user);
    if (start.minor() > 0 || !start.extensions().isEmpty()) {
      context.write(Messages.negotiateProtocolVersion(context.alloc(), start.extensions()));
    }
    tenure = entrance.tenure();
    if (refusal != null) {
      fail(context, refusal);
    } else if (tenure == null) {
      fail(context, entrance.refusal());
    } else if (user.isEmpty()) {
      refuse(context, "28000", "no PostgreSQL user name specified in startup packet");
    } else if (!NO_REPLICATION.contains(parameters.getOrDefault("replication", ""))) {
      fail(
          context,
          ErrorFields.fatal("0A000", "replication connections do not pass the replicator")
              .withHint("Connect to the server itself."));
    } else {
      switch (method(context, user, database)) {
        case TRUST -> enter(context, null);
        case SCRAM_SHA_256 -> lookUp(context, user);
        case REJECT ->
            refuse(
                context,
                "28000",
                "no entry of access lets in host \"%s\", user \"%s\", database \"%s\", %s"
                    .formatted(
                        from(context).getHostAddress(),
                        user,
                        database,
                        encrypted ? "SSL encryption" : "no encryption"));
      }
    }
  }

  /** Where the client is, also where another member has forwarded it. */
  private InetAddress from(ChannelHandlerContext context) {
    return forwarded == null
        ? ((InetSocketAddress) context.channel().remoteAddress()).getAddress()
        : forwarded.client();
  }

  private AccessRule.Method method(ChannelHandlerContext context, String user, String database) {
    return entrance.rules().stream()
        .filter(rule -> rule.fits(from(context), encrypted, database, user))
        .findFirst()
        .map(AccessRule::method)
        .orElse(AccessRule.Method.REJECT);
  }

  private void lookUp(ChannelHandlerContext context, String user) {
    phase = Phase.LOOKING_UP;
    tenure
        .roles()
        .find(user)
        .whenComplete(
            (verifier, cause) -> context.executor().execute(() -> offer(context, verifier, cause)));
  }

  private void offer(
      ChannelHandlerContext context, Optional<ScramVerifier> verifier, Throwable cause) {
    if (phase != Phase.LOOKING_UP) {
      return;
    }
    if (cause != null) {
      fail(context, LoginException.fieldsOf(cause));
      return;
    }
    phase = Phase.PROVING;
    sasl =
        new SaslExchange(
            parameters.get("user"), verifier, encrypted ? entrance.endPoint() : UNBOUND);
    context.writeAndFlush(sasl.offer(context.alloc()));
  }

  private void authenticate(ChannelHandlerContext context, Frame frame) {
    if (phase != Phase.PROVING || frame.type() != 'p') {
      refuse(
          context,
          WireException.PROTOCOL_VIOLATION,
          "expected SASL response, got message type " + frame.type());
      return;
    }
    try {
      context.write(sasl.answer(context.alloc(), frame.body()));
    } catch (ScramException e) {
      boolean refused = e.reason() == ScramException.Reason.REFUSED;
      refuse(
          context,
          refused ? "28P01" : WireException.PROTOCOL_VIOLATION,
          refused
              ? "password authentication failed for user \"" + parameters.get("user") + "\""
              : e.getMessage());
      return;
    }
    ScramKeys keys = sasl.keys();
    if (keys == null) {
      context.flush();
    } else {
      sasl = null;
      enter(context, () -> ScramClient.withKeys(keys));
    }
  }

  private void enter(ChannelHandlerContext context, Supplier<ScramClient> proof) {
    phase = Phase.ENTERING;
    if (entrance.config().replicates()) {
      enterAll(context, proof);
      return;
    }
    entering =
        entrance
            .door()
            .enter(
                context.channel().eventLoop(),
                entrance.config().servers().get(0),
                FrameSplitter.Sender.SERVER,
                parameters,
                proof);
    entering.addListener(
        done -> {
          if (done.isSuccess()) {
            begin(context, (ServerConnection) done.getNow());
          } else if (!done.isCancelled()) {
            fail(context, LoginException.fieldsOf(done.cause()));
          }
        });
  }

  private void enterAll(ChannelHandlerContext context, Supplier<ScramClient> proof) {
    all =
        new ReplicatedLogin(
            tenure.shared(), context.channel(), parameters, proof, fields -> fail(context, fields));
    all.enter(
        () -> {
          phase = Phase.DONE;
          timeout.cancel(false);
          context.pipeline().remove(this);
          ReplicatedSession session = tenure.sessions().add(forwarder(), all::session);
          session.begin(all.entered());
          if (entrance.tenure() != tenure) {
            session.stop();
          }
        });
  }

  private String forwarder() {
    return forwarded == null ? null : forwarded.member();
  }

  private void begin(ChannelHandlerContext context, ServerConnection server) {
    phase = Phase.DONE;
    timeout.cancel(false);
    context.pipeline().remove(this);
    tenure
        .sessions()
        .add(pid -> new Session(pid, context.channel(), server, entrance.door(), tenure.sessions()))
        .begin();
  }

  private void refuse(ChannelHandlerContext context, String sqlState, String message) {
    fail(context, ErrorFields.fatal(sqlState, message));
  }

  private void fail(ChannelHandlerContext context, ErrorFields fields) {
    if (phase == Phase.DONE) {
      return;
    }
    stop();
    context
        .writeAndFlush(Messages.error(context.alloc(), fields))
        .addListener(ChannelFutureListener.CLOSE);
  }

  /** Without a word. */
  private void drop(ChannelHandlerContext context) {
    stop();
    context.close();
  }

  private void stop() {
    phase = Phase.DONE;
    timeout.cancel(false);
    if (entering != null) {
      entering.cancel(false);
    }
    if (all != null) {
      all.close();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    stop();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof WireException wire) {
      refuse(context, wire.sqlState(), wire.getMessage());
    } else {
      drop(context);
    }
  }
}
