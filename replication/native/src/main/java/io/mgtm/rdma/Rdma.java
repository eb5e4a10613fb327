package io.mgtm.rdma;

import io.mgtm.jni.Availability;
import io.mgtm.jni.Errno;
import io.mgtm.jni.NativeLibrary;

/** Whether RDMA can be used in this process. Any thread. */
public final class Rdma {

  private Rdma() {}

  /**
   * Whether there is the library and at least one device, and what is missing. The library is
   * looked for once, devices each time.
   */
  public static Availability available() {
    if (!Library.ANSWER.usable()) {
      return Library.ANSWER;
    }
    int devices = DomainCalls.devices();
    if (devices > 0) {
      return Availability.yes();
    }
    return Availability.no(
        devices == 0 || devices == -Errno.ENOSYS.code()
            ? "this machine has no RDMA device: see rdma link, or make one on an Ethernet interface"
                + " by rdma link add rxe0 type rxe netdev eth0"
            : "the RDMA devices cannot be listed: " + Errno.of(-devices).text());
  }

  /** Refuses to go on without the library. */
  static void requireLibrary() {
    if (!Library.ANSWER.usable()) {
      throw new UnsupportedOperationException(Library.ANSWER.reason());
    }
  }

  private static final class Library {
    static final Availability ANSWER = NativeLibrary.load("mgtm_rdma");
  }
}
