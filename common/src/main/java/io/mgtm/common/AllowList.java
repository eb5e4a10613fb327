package io.mgtm.common;

import io.netty.handler.ipfilter.IpFilterRuleType;
import io.netty.handler.ipfilter.IpSubnetFilterRule;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;

/** Networks that connections may come from. Any thread. */
public final class AllowList {
  private static final int IPV4_BITS = 32;
  private static final int IPV6_BITS = 128;

  private final List<IpSubnetFilterRule> rules;

  /**
   * A list; an empty one allows everybody.
   *
   * @param networks each {@code address/bits}, or an address alone
   * @throws IllegalArgumentException when one is no network; the message says what is expected
   */
  public AllowList(List<String> networks) {
    rules = networks.stream().map(AllowList::rule).toList();
  }

  private static IpSubnetFilterRule rule(String network) {
    int slash = network.indexOf('/');
    String address = slash < 0 ? network : network.substring(0, slash);
    boolean v4 = NetUtil.isValidIpV4Address(address);
    if (!v4 && !NetUtil.isValidIpV6Address(address)) {
      throw bad(network);
    }
    int all = v4 ? IPV4_BITS : IPV6_BITS;
    int bits = slash < 0 ? all : bits(network, network.substring(slash + 1));
    if (bits < 0 || bits > all) {
      throw bad(network);
    }
    return new IpSubnetFilterRule(address, bits, IpFilterRuleType.ACCEPT);
  }

  private static int bits(String network, String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw bad(network);
    }
  }

  private static IllegalArgumentException bad(String network) {
    return new IllegalArgumentException(
        "\"" + network + "\" is no network: expected ADDRESS/BITS, such as 10.0.0.0/8 or fd00::/8");
  }

  /** Whether the other end of a connection is on this machine. */
  public static boolean isThisMachine(SocketAddress address) {
    return address instanceof InetSocketAddress inet
        && !inet.isUnresolved()
        && inet.getAddress().isLoopbackAddress();
  }

  /** Whether a connection may come from this address. */
  public boolean allows(SocketAddress address) {
    if (rules.isEmpty() || !(address instanceof InetSocketAddress inet)) {
      return rules.isEmpty();
    }
    return rules.stream().anyMatch(rule -> rule.matches(inet));
  }
}
