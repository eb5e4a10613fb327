package io.mgtm.ha.core;

import java.util.UUID;

/**
 * What a node says of the quorum disk.
 *
 * @param disk which one it reads, null while it has read none
 * @param slot where it writes on it
 * @param number of what it has written there, which whoever reads the same disk must find
 * @param wrong why the disk does not vote for the node, and has not for some time; empty when it
 *     does
 */
public record DiskReport(UUID disk, int slot, long number, String wrong) {
  static final int TEXT_MAX = 400;

  /** Keeps the text short: it must fit into a heartbeat. */
  public DiskReport {
    wrong = wrong.length() <= TEXT_MAX ? wrong : wrong.substring(0, TEXT_MAX);
  }

  /** Whether the disk votes for the node. */
  public boolean votes() {
    return wrong.isEmpty();
  }
}
