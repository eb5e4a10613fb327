package io.mgtm.group.net;

import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Free addresses on loopback, and waiting with a bound. */
public final class NetMembers {
  private NetMembers() {}

  /** Addresses for members. */
  public static List<InetSocketAddress> addresses(int count) {
    return OwnAddress.addresses(count);
  }

  static void await(String what, BooleanSupplier condition) {
    Await.until(what, condition::getAsBoolean);
  }
}
