package io.mgtm.ha.model;

import io.mgtm.common.HostPort;
import java.util.List;

/**
 * A machine that a controller runs on.
 *
 * @param site machines of one site fail over to each other by themselves; empty when there is one
 * @param witness whether it only votes: it runs no resources
 * @param group where the controllers' replicated log is spoken, TCP
 * @param paths where heartbeats are taken, UDP: one address for each communication path, in the
 *     order of their priority, the same number on all nodes
 * @param api where operators ask, TCP
 * @param watchdogDevice the kernel's watchdog that its watchdog feeds too, empty for none
 */
public record Node(
    String site,
    boolean witness,
    HostPort group,
    List<HostPort> paths,
    HostPort api,
    String watchdogDevice) {

  /** Keeps lists immutable; an older configuration names no device. */
  public Node {
    paths = List.copyOf(paths);
    watchdogDevice = watchdogDevice == null ? "" : watchdogDevice;
  }

  /** How people are told of a path, by its place among {@link #paths}. */
  public static String path(int place) {
    return "path" + (place + 1);
  }
}
