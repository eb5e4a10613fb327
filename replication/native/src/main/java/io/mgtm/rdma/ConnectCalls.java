package io.mgtm.rdma;

/** The life of a connection (rdma_connect.c); an errno is a negative number. */
final class ConnectCalls {

  /** How often the device sends again what the peer did not acknowledge; 7 is the most. */
  static final int RETRIES = 7;

  /** How often it sends again when the peer has posted no receive; 7 would be for ever. */
  static final int RNR_RETRIES = 6;

  /** The room for the peer's private data. */
  static final int PEER_DATA_BYTES = 256;

  private ConnectCalls() {}

  static native long resolve(
      long domain, byte[] ip, int scope, int port, int wakeupFd, long timeoutMs);

  static native int build(
      long connection, long domain, long area, int sends, int receives, int wakeupFd);

  static native int establish(long connection, byte[] privateData, long timeoutMs);

  static native int peerData(long connection, byte[] privateData);

  static native int disconnect(long connection);

  static native void close(long connection, boolean refuse);
}
