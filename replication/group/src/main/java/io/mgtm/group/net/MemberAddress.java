package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jgroups.Address;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ExtendedUUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What travels in the JGroups address of a member's process, which is drawn at random at each
 * start: the member's name, and where it listens for the group.
 */
final class MemberAddress {
  private static final Logger log = LoggerFactory.getLogger(MemberAddress.class);
  private static final String NAME_KEY = "mgtm.member";
  private static final String PLACE_KEY = "mgtm.at";

  private MemberAddress() {}

  /** A new address. */
  static ExtendedUUID of(String name, InetSocketAddress place) {
    return with(ExtendedUUID.randomUUID(name), name, text(place));
  }

  /** The address of a process that said this about itself. */
  static ExtendedUUID with(ExtendedUUID process, String name, String place) {
    return process.put(NAME_KEY, name.getBytes(UTF_8)).put(PLACE_KEY, place.getBytes(UTF_8));
  }

  /** As text, since JGroups shows it in its logs and threads' names. */
  static String text(InetSocketAddress at) {
    return at.getAddress().getHostAddress() + ':' + at.getPort();
  }

  private static String get(Address address, String key) {
    byte[] stored = address instanceof ExtendedUUID uuid ? uuid.get(key) : null;
    return stored == null ? "" : new String(stored, UTF_8);
  }

  /** The member's name; empty when it is no member of a group. */
  static String nameOf(Address address) {
    return get(address, NAME_KEY);
  }

  /** Where the process listens, as text. */
  static String placeOf(Address address) {
    String place = get(address, PLACE_KEY);
    return place.isEmpty() ? "an address that it does not say" : place;
  }

  /** Whether two processes listen at one address, so that one of them is gone. */
  static boolean isSamePlace(Address one, Address other) {
    return !get(one, PLACE_KEY).isEmpty() && get(one, PLACE_KEY).equals(get(other, PLACE_KEY));
  }

  /** Where the process listens; null when it does not say. */
  static IpAddress physical(Address address) {
    String text = get(address, PLACE_KEY);
    if (text.isEmpty()) {
      return null;
    }
    int colon = text.lastIndexOf(':');
    try {
      // No name, which would have to be looked up.
      byte[] host = NetUtil.createByteArrayFromIpAddressString(text.substring(0, colon));
      int port = Integer.parseInt(text.substring(colon + 1));
      return new IpAddress(InetAddress.getByAddress(host), port);
    } catch (UnknownHostException | RuntimeException e) {
      log.warn("{} says nonsense about where it listens", address, e);
      return null;
    }
  }
}
