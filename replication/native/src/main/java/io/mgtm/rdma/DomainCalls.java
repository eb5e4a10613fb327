package io.mgtm.rdma;

/** Protection domains and registered memory (rdma_domain.c); an errno is a negative number. */
final class DomainCalls {

  private DomainCalls() {}

  static native int devices();

  static native long open(byte[] ip, int scope);

  static native String deviceName(long domain);

  static native void close(long domain);

  static native long register(
      long domain, long address, long length, boolean remoteWritable, int[] keys);

  static native int deregister(long region);
}
