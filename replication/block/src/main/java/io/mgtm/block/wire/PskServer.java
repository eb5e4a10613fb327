package io.mgtm.block.wire;

import java.io.IOException;
import java.util.Arrays;
import java.util.Vector;
import java.util.stream.IntStream;
import org.bouncycastle.tls.AlertDescription;
import org.bouncycastle.tls.BasicTlsPSKExternal;
import org.bouncycastle.tls.CipherSuite;
import org.bouncycastle.tls.PSKTlsServer;
import org.bouncycastle.tls.ProtocolVersion;
import org.bouncycastle.tls.PskIdentity;
import org.bouncycastle.tls.TlsCredentials;
import org.bouncycastle.tls.TlsFatalAlert;
import org.bouncycastle.tls.TlsPSKExternal;
import org.bouncycastle.tls.TlsPSKIdentityManager;
import org.bouncycastle.tls.TlsUtils;
import org.bouncycastle.tls.crypto.TlsCrypto;

/**
 * A server of TLS 1.3, and 1.2 for clients that have no newer one, whose clients prove a shared
 * key. In 1.3 a key belongs to a hash (RFC 8446, 4.2.11), which is SHA-256 where nothing else was
 * agreed, so only suites with that hash are on offer.
 */
final class PskServer extends PSKTlsServer {
  private static final int[] SUITES_13 = {
    CipherSuite.TLS_AES_128_GCM_SHA256, CipherSuite.TLS_CHACHA20_POLY1305_SHA256
  };

  private final PskKeys keys;

  PskServer(TlsCrypto crypto, PskKeys keys) {
    super(crypto, new Identities(keys));
    this.keys = keys;
  }

  /** Who may connect by TLS 1.2. */
  private record Identities(PskKeys keys) implements TlsPSKIdentityManager {
    @Override
    public byte[] getHint() {
      return null;
    }

    @Override
    public byte[] getPSK(byte[] identity) {
      return keys.keyOf(identity);
    }
  }

  @Override
  protected ProtocolVersion[] getSupportedVersions() {
    return ProtocolVersion.TLSv13.downTo(ProtocolVersion.TLSv12);
  }

  @Override
  protected int[] getSupportedCipherSuites() {
    int[] newer = TlsUtils.getSupportedCipherSuites(getCrypto(), SUITES_13);
    return IntStream.concat(Arrays.stream(newer), Arrays.stream(super.getSupportedCipherSuites()))
        .toArray();
  }

  /** The first of the client's identities, by TLS 1.3, that has a key; null when none has. */
  @Override
  @SuppressWarnings("rawtypes")
  public TlsPSKExternal getExternalPSK(Vector identities) {
    for (Object one : identities) {
      byte[] identity = ((PskIdentity) one).getIdentity();
      byte[] key = keys.keyOf(identity);
      if (key != null) {
        return new BasicTlsPSKExternal(identity, getCrypto().createSecret(key));
      }
    }
    return null;
  }

  @Override
  public TlsCredentials getCredentials() throws IOException {
    if (TlsUtils.isTLSv13(context)) {
      // No key was found, and there is no certificate to go on with.
      throw new TlsFatalAlert(
          AlertDescription.unknown_psk_identity, "no key of the client is known");
    }
    return super.getCredentials();
  }
}
