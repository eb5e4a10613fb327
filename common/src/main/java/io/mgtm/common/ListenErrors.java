package io.mgtm.common;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.UnresolvedAddressException;

/** Why an address cannot be listened on, and what to do, in one sentence. */
public final class ListenErrors {
  private ListenErrors() {}

  /**
   * Looks the address up.
   *
   * @param option the option that sets it
   * @throws IOException when its host name is not known
   */
  public static InetSocketAddress resolve(String option, HostPort address) throws IOException {
    InetSocketAddress resolved = address.resolve();
    if (resolved.isUnresolved()) {
      throw of(option, address, new UnresolvedAddressException());
    }
    return resolved;
  }

  /**
   * Takes the address and gives it back, for who wants to know before there is something to serve.
   *
   * @throws IOException when it cannot be listened on
   */
  public static void tryOut(String option, HostPort address) throws IOException {
    InetSocketAddress resolved = resolve(option, address);
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(resolved);
    } catch (IOException e) {
      throw of(option, address, e);
    }
  }

  /** What {@code cause} means. */
  public static IOException of(String option, Object address, Throwable cause) {
    String text = String.valueOf(cause.getMessage());
    String why;
    String advice;
    if (cause instanceof UnresolvedAddressException) {
      why = "the host name is not known";
      advice = "choose an address of this machine with " + option;
    } else if (text.contains("already in use")) {
      why = "another process listens there";
      advice = "stop it, or choose another port with " + option;
    } else if (text.contains("Permission denied")) {
      why = "this user may not use that port";
      advice = "choose one from 1024 on with " + option;
    } else if (text.contains("assign requested address")) {
      why = "it is no address of this machine";
      advice = "choose one with " + option;
    } else {
      why = text;
      advice = "choose another address with " + option;
    }
    return new IOException("cannot listen on %s: %s; %s".formatted(address, why, advice), cause);
  }
}
