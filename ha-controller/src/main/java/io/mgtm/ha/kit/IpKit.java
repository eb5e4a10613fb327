package io.mgtm.ha.kit;

import io.mgtm.ha.kit.Programs.Ended;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An address on a network device, IPv4 or IPv6. Before it is added the network is asked whether
 * another machine has it, and once it is there its neighbours are told.
 */
final class IpKit implements Kit {
  private static final String FORM =
      "([0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9a-fA-F.]*:[0-9a-fA-F.:]*)/[0-9]{1,3}";

  private static final int GUARD_MS = 1_000;
  private static final String TELL_TIMES = "3";

  /** Among the flags that {@code ip link} shows. */
  private static final Pattern SET_UP = Pattern.compile("[<,]UP[,>]");

  /** What a line takes, at most, until it has a carrier after its device was set up. */
  private static final int LINE_MS = 5_000;

  /** What a line that was cut has to come back by itself, in each repair. */
  private static final int CUT_MS = 500;

  /** Status 0 when the address is not there, or no longer. */
  private static final String REMOVE =
      "ip address del \"$1\" dev \"$2\" 2>/dev/null; ! ip -o address show dev \"$2\" to"
          + " \"${1%%/*}\" 2>/dev/null | grep -q .";

  @Override
  public String name() {
    return "ip";
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(
        new Parameter("address", true, "", "the address and its prefix, such as 10.0.0.5/24"),
        new Parameter("device", true, "", "the network device, such as eth0"),
        new Parameter("duplicateCheck", false, "true", "false adds it without asking first"));
  }

  /** A server goes on listening at an address that is taken away and comes back. */
  @Override
  public boolean isRepairedAlone() {
    return true;
  }

  private static String cidr(KitContext context) throws KitException {
    String given = context.parameters().get("address");
    if (!given.matches(FORM)) {
      throw new KitException(
          "address \"%s\" of %s is none: expected one with its prefix, such as 10.0.0.5/24"
              .formatted(given, context.resource()));
    }
    return given;
  }

  /** Without a look-up: it has the form of an address. */
  private static InetAddress address(KitContext context) throws KitException {
    String cidr = cidr(context);
    try {
      return InetAddress.getByName(cidr.substring(0, cidr.indexOf('/')));
    } catch (UnknownHostException e) {
      throw new KitException("\"%s\" is no address: %s".formatted(cidr, e.getMessage()), e);
    }
  }

  private static String device(KitContext context) {
    return context.parameters().get("device");
  }

  /** Empty also where it has no address at all: Java does not see it then. */
  private static Optional<NetworkInterface> seen(KitContext context) throws KitException {
    try {
      return Optional.ofNullable(NetworkInterface.getByName(device(context)));
    } catch (SocketException e) {
      throw new KitException(
          "device %s cannot be looked at: %s".formatted(device(context), e.getMessage()), e);
    }
  }

  private static boolean hasAddress(KitContext context) throws KitException {
    return hasAddress(context, seen(context));
  }

  private static boolean hasAddress(KitContext context, Optional<NetworkInterface> seen)
      throws KitException {
    InetAddress wanted = address(context);
    return seen.stream()
        .flatMap(device -> device.getInterfaceAddresses().stream())
        .anyMatch(one -> Arrays.equals(one.getAddress().getAddress(), wanted.getAddress()));
  }

  @Override
  public void inService(KitContext context) throws KitException, InterruptedException {
    Deadline deadline = Deadline.of(context);
    setUp(context, deadline);
    if (address(context) instanceof Inet6Address) {
      addSixth(context, deadline);
      return;
    }
    if (!hasAddress(context)) {
      refuseDuplicate(context, deadline);
      Programs.run(
              Program.of(deadline, "ip", "address", "add", cidr(context), "dev", device(context)))
          .succeeded();
    }
    tell(context);
  }

  /**
   * A device that is set up and whose line is cut is nothing that can be repaired here: that is
   * said as soon as the line has not come back by itself, so that another node has the address.
   */
  @Override
  public void localRecover(KitContext context) throws KitException, InterruptedException {
    Deadline deadline = Deadline.of(context);
    setUp(context, deadline);
    Deadline line = Deadline.in(Math.min(CUT_MS, deadline.leftMs()));
    if (!line.await(() -> link(context, deadline).contains("LOWER_UP"))) {
      throw new KitException(
          "device %s has no carrier: its cable or its switch is out, which cannot be repaired here"
              .formatted(device(context)));
    }
    Kit.super.localRecover(context);
  }

  /** Of a device that is set up and whose line is cut the check tells; nothing waits for it. */
  private static void setUp(KitContext context, Deadline deadline)
      throws KitException, InterruptedException {
    String device = device(context);
    if (SET_UP.matcher(link(context, deadline)).find()) {
      return;
    }
    Programs.run(Program.of(deadline, "ip", "link", "set", device, "up")).succeeded();
    Deadline line = Deadline.in(Math.min(LINE_MS, deadline.leftMs()));
    line.await(() -> link(context, deadline).contains("LOWER_UP"));
  }

  private static String link(KitContext context, Deadline deadline)
      throws KitException, InterruptedException {
    Ended shown =
        Programs.run(Program.of(deadline, "ip", "-o", "link", "show", "dev", device(context)));
    if (shown.status() != 0) {
      throw new KitException(
          "there is no network device %s; 'ip link' lists those there are"
              .formatted(device(context)));
    }
    return shown.told();
  }

  /** Asks by ARP who has it; an answer comes from another machine, as this one has it not yet. */
  private static void refuseDuplicate(KitContext context, Deadline deadline)
      throws KitException, InterruptedException {
    if (!Boolean.parseBoolean(context.parameters().getOrDefault("duplicateCheck", "true"))) {
      return;
    }
    Ended asked = ask(context, deadline);
    if (asked.status() != 0) {
      throw new KitException(
          "address %s is in use by another machine on %s, and was not added%s"
              .formatted(cidr(context), device(context), Programs.said(asked.output())));
    }
  }

  private static Ended ask(KitContext context, Deadline deadline)
      throws KitException, InterruptedException {
    String host = address(context).getHostAddress();
    Ended asked =
        Programs.run(
            Program.of(
                deadline, "arping", "-D", "-c", "1", "-w", "1", "-I", device(context), host));
    if (asked.status() > 1) {
      throw new KitException(
          "arping cannot ask who has %s%s; it is in Debian's package iputils-arping"
              .formatted(host, Programs.said(asked.output())));
    }
    return asked;
  }

  /** In the background: a neighbour that misses the first hears the next, a second later. */
  private static void tell(KitContext context) throws KitException {
    String host = address(context).getHostAddress();
    new Daemon(context)
        .start(
            List.of("arping", "-q", "-U", "-c", TELL_TIMES, "-I", device(context), host), Map.of());
  }

  /** The kernel asks for duplicates of these itself, and tells the neighbours afterwards. */
  private static void addSixth(KitContext context, Deadline deadline)
      throws KitException, InterruptedException {
    if (!hasAddress(context)) {
      Path notify = Path.of("/proc/sys/net/ipv6/conf", device(context), "ndisc_notify");
      try {
        Files.writeString(notify, "1");
      } catch (IOException e) {
        throw new KitException(notify + " cannot be set: " + e.getMessage(), e);
      }
      Programs.run(
              Program.of(deadline, "ip", "address", "add", cidr(context), "dev", device(context)))
          .succeeded();
    }
    if (!deadline.await(() -> !flags(context, deadline).contains(" tentative"))) {
      throw new KitException("the kernel still asks whether another machine has " + cidr(context));
    }
    if (flags(context, deadline).contains(" dadfailed")) {
      remove(context, deadline);
      throw new KitException(
          "address %s is in use by another machine on %s, and was removed again"
              .formatted(cidr(context), device(context)));
    }
  }

  /** A failed one stays tentative for ever. */
  private static String flags(KitContext context, Deadline deadline)
      throws KitException, InterruptedException {
    String host = address(context).getHostAddress();
    String shown =
        Programs.run(
                Program.of(
                    deadline, "ip", "-o", "address", "show", "dev", device(context), "to", host))
            .succeeded()
            .told();
    return shown.contains(" dadfailed") ? " dadfailed" : shown;
  }

  @Override
  public void outOfService(KitContext context) throws KitException, InterruptedException {
    Deadline deadline = Deadline.of(context);
    remove(context, deadline);
    new Daemon(context).stop(deadline);
  }

  private static void remove(KitContext context, Deadline deadline)
      throws KitException, InterruptedException {
    Ended removed = Programs.run(Program.shell(deadline, REMOVE, cidr(context), device(context)));
    if (removed.status() != 0) {
      throw new KitException(
          "address %s is still on %s%s"
              .formatted(cidr(context), device(context), Programs.said(removed.output())));
    }
  }

  @Override
  public Health quickCheck(KitContext context) throws KitException {
    Optional<NetworkInterface> seen = seen(context);
    if (!hasAddress(context, seen)) {
      return Health.out("not on " + device(context));
    }
    try {
      return seen.orElseThrow().isUp()
          ? Health.in("on " + device(context))
          : Health.failed("on %s, which is down or has no carrier".formatted(device(context)));
    } catch (SocketException e) {
      return Health.failed("device %s: %s".formatted(device(context), e.getMessage()));
    }
  }

  @Override
  public Health deepCheck(KitContext context) throws KitException, InterruptedException {
    Health quick = quickCheck(context);
    if (quick.state() != Health.State.IN_SERVICE || address(context) instanceof Inet6Address) {
      return quick;
    }
    Ended asked = ask(context, Deadline.of(context));
    return asked.status() == 0
        ? Health.in(quick.detail() + ", and nobody else answers for it")
        : Health.failed("another machine has it too" + Programs.said(asked.output()));
  }

  @Override
  public List<GuardStep> guard(KitContext context) {
    String address = context.parameters().get("address");
    return List.of(
        new GuardStep.Run(
            List.of("/bin/sh", "-c", REMOVE, "sh", address, device(context)), GUARD_MS));
  }
}
