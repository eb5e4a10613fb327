package io.mgtm.query.connection;

import io.mgtm.query.scram.Scram;
import io.mgtm.query.scram.ScramException;
import io.mgtm.query.scram.ScramKeys;
import io.mgtm.query.scram.ScramServer;
import io.mgtm.query.scram.ScramVerifier;
import io.mgtm.query.wire.Messages;
import io.mgtm.query.wire.StartupPacket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** The SASL exchange in which one client proves who it is. Belongs to the client's loop. */
public final class SaslExchange {
  private static final byte[] UNBOUND = {};

  private final ScramServer scram;
  private final byte[] endPoint;
  private boolean begun;

  /**
   * An exchange that has not begun.
   *
   * @param verifier of the role, empty when there is none
   * @param endPoint what the exchange can be bound to; empty where there is nothing
   */
  public SaslExchange(String user, Optional<ScramVerifier> verifier, byte[] endPoint) {
    this.scram = new ScramServer(user, verifier);
    this.endPoint = endPoint.clone();
  }

  private boolean canBind() {
    return endPoint.length > 0;
  }

  /** Tells the client which mechanisms there are. */
  public ByteBuf offer(ByteBufAllocator alloc) {
    return Messages.authenticationSasl(
        alloc,
        canBind() ? List.of(Scram.MECHANISM_PLUS, Scram.MECHANISM) : List.of(Scram.MECHANISM));
  }

  /**
   * Answers one message of the client's.
   *
   * @throws ScramException when it is malformed, or the proof is wrong
   */
  public ByteBuf answer(ByteBufAllocator alloc, ByteBuf body) throws ScramException {
    if (begun) {
      String answer = scram.last(body.toString(StandardCharsets.UTF_8));
      return Messages.authenticationSaslData(alloc, Messages.AUTHENTICATION_SASL_FINAL, answer);
    }
    begun = true;
    String answer = first(body);
    return Messages.authenticationSaslData(alloc, Messages.AUTHENTICATION_SASL_CONTINUE, answer);
  }

  private String first(ByteBuf body) throws ScramException {
    String mechanism = StartupPacket.text(body);
    int bytes = body.readableBytes() < Integer.BYTES ? -1 : body.readInt();
    boolean plus = mechanism.equals(Scram.MECHANISM_PLUS) && canBind();
    if ((!plus && !mechanism.equals(Scram.MECHANISM)) || bytes != body.readableBytes()) {
      throw new ScramException(
          ScramException.Reason.MALFORMED,
          "client selected an invalid SASL authentication mechanism");
    }
    return scram.first(body.toString(StandardCharsets.UTF_8), plus ? endPoint : UNBOUND, canBind());
  }

  /** By which servers are entered as the client; null until it has proved who it is. */
  public ScramKeys keys() {
    return scram.keys();
  }
}
