package io.mgtm.group.storage;

import io.mgtm.group.storage.StatusPage.Note;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** What a storage with a mistake would do, and what a bad disk does to a good one. */
public final class PlantedStorage {
  private record Place(String name, int offset, long index, long durable) {}

  private PlantedStorage() {}

  /** Nobody knows any more that a force has failed, nor what is missing since. */
  public static void forgetFailedForce(StorageFiles files, UUID member) {
    if (files.list().contains(StatusPage.NAME)) {
      StatusPage page = StatusPage.open(files, member);
      page.resetWritten(0);
      if (page.noted(Note.FAILED) >= 0) {
        page.clear(Note.FAILED);
      }
    }
  }

  /** Nobody knows any more what was written. */
  public static void forgetWritten(StorageFiles files, UUID member) {
    if (files.list().contains(StatusPage.NAME)) {
      StatusPage.open(files, member).resetWritten(0);
    }
  }

  /**
   * Flips a bit of an entry that was written and is not known to be on disk.
   *
   * @return false when there is none
   */
  public static boolean damageUnsynced(SimulatedDisk disk, UUID member, Random random) {
    if (!disk.list().contains(StatusPage.NAME)) {
      return false;
    }
    List<Place> entries = new ArrayList<>();
    for (String name : disk.list()) {
      FileNames.segmentSequence(name)
          .ifPresent(
              sequence -> addEntries(new Segment(sequence, member, disk.map(name)), entries));
    }
    StatusPage page = StatusPage.open(disk, member);
    long checkpoint = new CheckpointStore(disk, member).newestIndex();
    long durable =
        entries.stream()
            .mapToLong(Place::durable)
            .reduce(
                Math.max(checkpoint, Math.max(page.durable(), page.noted(Note.CLEAN))), Math::max);
    List<Place> unsynced = entries.stream().filter(entry -> entry.index() > durable).toList();
    if (unsynced.isEmpty()) {
      return false;
    }
    Place place = unsynced.get(random.nextInt(unsynced.size()));
    int within = random.nextInt(Segment.RECORD_HEADER_BYTES);
    disk.flipBit(place.name(), place.offset() + within, random.nextInt(8));
    return true;
  }

  private static void addEntries(Segment segment, List<Place> entries) {
    if (!segment.readHeader(segment.name())) {
      return;
    }
    int offset = Segment.HEADER_BYTES;
    long index = segment.firstIndex();
    for (int end = segment.recordEnd(offset, index);
        end >= 0;
        end = segment.recordEnd(offset, index)) {
      entries.add(new Place(segment.name(), offset, index, segment.durableIndex(offset)));
      offset = end;
      index++;
    }
  }
}
