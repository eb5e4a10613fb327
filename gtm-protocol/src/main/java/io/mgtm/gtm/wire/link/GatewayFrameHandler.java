package io.mgtm.gtm.wire.link;

import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.wire.WireException;
import java.util.List;

/** What a gateway sends, in its order; called by the thread that decodes. */
public interface GatewayFrameHandler {

  /** The version of the protocol that the gateway speaks; first of all. */
  default void version(int version) throws WireException {}

  /** Entries of a leader before, in mode lazy. */
  void present(LinkEntries entries) throws WireException;

  /** The gateway is called {@code name}. */
  void hello(String name, GatewayKind kind) throws WireException;

  /**
   * The answer to a challenge: HMAC-SHA256 with the secret over the nonce and the gateway's name.
   */
  void auth(byte[] hmac) throws WireException;

  /**
   * The gateway goes on with a session, or opens it.
   *
   * @param fresh whether no command was ever sent in it
   * @param acked the gateway has the replies up to this number
   * @param proxied whether it is that of a proxy behind the gateway, so that replies carry backends
   */
  void attach(long session, boolean fresh, long acked, boolean proxied) throws WireException;

  /**
   * Commands of a session.
   *
   * @param first the number of the first one; the others follow
   */
  void commands(long session, long acked, long first, List<LinkCommand> commands)
      throws WireException;

  /** The gateway no longer needs a session. */
  void close(long session) throws WireException;

  /**
   * The next piece of a long reply is to be sent.
   *
   * @param more false when no more of it is wanted
   */
  void pull(long id, boolean more) throws WireException;

  /** To be answered with the same nonce. */
  void ping(long nonce) throws WireException;

  /**
   * An operator's request.
   *
   * @param id repeated in the reply
   * @param verb what to do, such as {@code status}
   * @param argument of the verb, or empty
   */
  void admin(long id, String verb, String argument) throws WireException;
}
