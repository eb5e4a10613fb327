package io.mgtm.group.quorumdisk;

import java.util.UUID;

/**
 * What a member has written on a quorum disk, which it tells the other by another way: a disk that
 * does not show it is not the same.
 *
 * @param disk drawn when the disk was made
 * @param node the member
 * @param slot where it writes
 * @param number of the content that is there, or of a newer one
 */
public record DiskMark(UUID disk, String node, int slot, long number) {

  /** Of one slot: the later of two of one disk, else what was heard last. */
  DiskMark newer(DiskMark heardLast) {
    return disk.equals(heardLast.disk) && number > heardLast.number ? this : heardLast;
  }
}
