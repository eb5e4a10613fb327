package io.mgtm.jni;

import java.nio.ByteBuffer;

/** The addresses of direct memory, for the classes that hand them to native code. */
public final class Memory {

  /** The version of what Java and C agree on; a library of another one is not used. */
  static final int ABI = 1;

  private Memory() {}

  /**
   * Where a direct buffer's memory begins. The address is good for as long as the buffer is
   * reachable; who hands it to native code keeps the buffer.
   *
   * @param buffer a direct buffer
   * @throws IllegalArgumentException when it is not direct
   */
  public static long address(ByteBuffer buffer) {
    if (!buffer.isDirect()) {
      throw new IllegalArgumentException("a buffer on the heap may move and has no address");
    }
    return addressOf(buffer);
  }

  private static native long addressOf(ByteBuffer buffer);

  /** The library's version: a native call that does nothing else, as benchmarks like it. */
  public static native int abi();
}
