package io.mgtm.common;

import io.netty.handler.ssl.DelegatingSslContext;
import io.netty.handler.ssl.SslContext;
import java.io.File;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.util.Map;

/** Whether a key and a certificate, in PEM, belong together. Any thread. */
abstract class KeyPairs extends DelegatingSslContext {
  private static final Map<String, String> SIGNATURES =
      Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

  /** Only extended to reach how Netty reads the files. */
  KeyPairs(SslContext context) {
    super(context);
  }

  /**
   * Signs with the key, and verifies by the certificate; true for a kind of key that cannot be
   * told.
   *
   * @throws IOException when a file cannot be read
   * @throws GeneralSecurityException when one is not what it should be
   */
  static boolean belong(File chain, File key) throws IOException, GeneralSecurityException {
    PublicKey shown = toX509Certificates(chain)[0].getPublicKey();
    PrivateKey own = toPrivateKey(key, null);
    if (!own.getAlgorithm().equals(shown.getAlgorithm())) {
      return false;
    }
    String by = SIGNATURES.get(own.getAlgorithm());
    if (by == null) {
      return true;
    }
    byte[] proof = {1};
    Signature signs = Signature.getInstance(by);
    signs.initSign(own);
    signs.update(proof);
    Signature verifies = Signature.getInstance(by);
    verifies.initVerify(shown);
    verifies.update(proof);
    return verifies.verify(signs.sign());
  }
}
