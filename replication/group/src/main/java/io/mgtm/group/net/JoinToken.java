package io.mgtm.group.net;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.security.MessageDigest;
import org.jgroups.Message;
import org.jgroups.auth.AuthToken;

/**
 * For JGroups' AUTH: who asks to join or to merge shows that it knows the group's secret, by a code
 * of its own address, which is drawn at random at each start.
 *
 * <pre>
 * | bytes:u8 | HMAC-SHA-256 of the address |
 * </pre>
 */
public final class JoinToken extends AuthToken {
  private final GroupSecret secret;
  private byte[] proof = new byte[0];

  /** For JGroups, which reads into it. */
  public JoinToken() {
    this(null);
  }

  JoinToken(GroupSecret secret) {
    this.secret = secret;
  }

  @Override
  public String getName() {
    return JoinToken.class.getName();
  }

  @Override
  public int size() {
    return 1 + own().length;
  }

  /** What it shows; a message to oneself carries the token itself, which nothing was read into. */
  private byte[] own() {
    return secret == null ? proof : secret.proofOf(auth.getAddress());
  }

  @Override
  public boolean authenticate(AuthToken token, Message message) {
    return token instanceof JoinToken shown
        && MessageDigest.isEqual(shown.own(), secret.proofOf(message.getSrc()));
  }

  @Override
  public void writeTo(DataOutput out) throws IOException {
    byte[] bytes = own();
    out.writeByte(bytes.length);
    out.write(bytes);
  }

  @Override
  public void readFrom(DataInput in) throws IOException {
    proof = new byte[in.readUnsignedByte()];
    in.readFully(proof);
  }
}
