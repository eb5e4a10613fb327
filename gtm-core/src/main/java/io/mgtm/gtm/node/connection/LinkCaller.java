package io.mgtm.gtm.node.connection;

import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.link.LinkFormat;
import java.security.SecureRandom;

/** Who is at the other end of a link, and what it may ask. Event loop. */
final class LinkCaller {
  private static final SecureRandom RANDOM = new SecureRandom();

  private LinkRights rights = LinkRights.NONE;

  /** What it was asked to answer with a secret; null when it was not asked. */
  private byte[] nonce;

  private boolean admitted;
  private String name = "";
  private GatewayKind kind;
  private int version;

  void version(int of) {
    version = of;
  }

  /** It says who it is. */
  void hello(String gateway, GatewayKind of) throws WireException {
    if (!name.isEmpty()) {
      throw new WireException("HELLO came twice");
    }
    name = gateway;
    kind = of;
  }

  /** Asks it to show a secret. */
  byte[] challenge() {
    nonce = new byte[LinkFormat.SECRET_BYTES];
    RANDOM.nextBytes(nonce);
    return nonce;
  }

  boolean isChallenged() {
    return nonce != null;
  }

  /** What its answer allows; null when it shows no secret of this node's. */
  LinkRights shown(byte[] answer, LinkKeys keys) throws WireException {
    if (nonce == null || name.isEmpty() || admitted) {
      throw new WireException("AUTH came without being asked for");
    }
    return keys.shownBy(nonce, name, answer);
  }

  /** It has shown what it had to. */
  void admit(LinkRights given) {
    rights = given;
    admitted = true;
  }

  LinkRights rights() {
    return rights;
  }

  /** Empty before its hello. */
  String name() {
    return name;
  }

  GatewayKind kind() {
    return kind;
  }

  int version() {
    return version;
  }

  /** Refuses a frame that came before it was admitted. */
  void requireAdmitted(String what) throws WireException {
    if (!admitted) {
      throw new WireException(what + " came before the gateway has said who it is");
    }
  }

  /** Refuses a frame of who may have no sessions. */
  void requireSessions(String what) throws WireException {
    requireAdmitted(what);
    if (!rights.sessions()) {
      throw new WireException(
          "%s takes the secret of links.secretFile, and %s".formatted(what, rights.shown()),
          "The secrets of roles are for commands: the file that secretFile of a proxy names, or"
              + " links.secretFile of a node, is to hold the secret of links.secretFile.");
    }
  }
}
