package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.UUID;
import org.jgroups.Address;
import org.jgroups.util.ExtendedUUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What travels in the JGroups address of a member's process, which is drawn at random at each
 * start: the member's name, where it listens for the group, and where its direct links are taken.
 */
final class MemberAddress {
  private static final Logger log = LoggerFactory.getLogger(MemberAddress.class);
  private static final String NAME_KEY = "mgtm.member";
  private static final String PLACE_KEY = "mgtm.at";
  private static final String LINK_KEY = "mgtm.link";

  private MemberAddress() {}

  /**
   * A new address.
   *
   * @param links null without direct links
   */
  static ExtendedUUID of(String name, InetSocketAddress place, InetSocketAddress links) {
    ExtendedUUID address = ExtendedUUID.randomUUID(name);
    address.put(NAME_KEY, name.getBytes(UTF_8));
    address.put(PLACE_KEY, encode(place));
    return links == null ? address : address.put(LINK_KEY, encode(links));
  }

  /** As text, since JGroups shows it in its logs and threads' names. */
  private static byte[] encode(InetSocketAddress at) {
    return (at.getAddress().getHostAddress() + ':' + at.getPort()).getBytes(UTF_8);
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

  /** Tells a process from others of the same member. */
  static UUID process(Address address) {
    ExtendedUUID id = (ExtendedUUID) address;
    return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits());
  }

  /** Where its direct links are taken; empty when it has none. */
  static Optional<DirectLinks.Peer> peer(Address address) {
    String text = get(address, LINK_KEY);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    int colon = text.lastIndexOf(':');
    try {
      InetAddress host = InetAddress.getByName(text.substring(0, colon));
      int port = Integer.parseInt(text.substring(colon + 1));
      return Optional.of(new DirectLinks.Peer(process(address), new InetSocketAddress(host, port)));
    } catch (UnknownHostException | IllegalArgumentException | StringIndexOutOfBoundsException e) {
      log.warn("{} says nonsense about where its links are taken", address, e);
      return Optional.empty();
    }
  }
}
