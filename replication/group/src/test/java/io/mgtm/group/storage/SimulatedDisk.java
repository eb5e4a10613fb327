package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * A disk that forgets. Content reaches it sector by sector when synced, or earlier if the system
 * likes; names reach it when the directory is synced, or earlier, not necessarily in order. It can
 * die at any operation, refuse room, fail a force, and be made to carry planted faults.
 */
public final class SimulatedDisk implements StorageFiles {
  /** Faults of a storage that the simulation must notice. */
  public enum Fault {
    /** A force of the log returns before anything is on disk. */
    FORCE_NOTHING,
    /** Notes on the status page, such as that of a clean stop, stay when they are cleared. */
    KEEP_NOTES,
    /** What stands behind the end of the log is not wiped. */
    KEEP_STALE_TAIL,
    /** A checkpoint gets its name before its content is on disk. */
    RENAME_BEFORE_FORCE,
    /** Names are never synced. */
    DIRECTORY_NOT_FORCED,
    /** What recovery found in memory is taken to be on disk. */
    TRUST_MEMORY,
    /** Nobody hears that writing back has failed. */
    FAILURES_UNHEARD
  }

  private record NameChange(String from, String to, SimulatedFile file) {}

  private final Random random;

  /** Of its own, so that old schedules stay as they were. */
  private final Random failures = new Random(5);

  private final Set<Fault> faults = EnumSet.noneOf(Fault.class);
  private final Map<String, SimulatedFile> names = new TreeMap<>();
  private final Map<String, SimulatedFile> namesOnDisk = new TreeMap<>();
  private final List<NameChange> unsyncedNames = new ArrayList<>();
  private final List<String> forceAfterRename = new ArrayList<>();
  private long bytesMax = Long.MAX_VALUE;
  private int crashAfter = -1;
  private boolean crashed;
  private boolean failNextForce;
  private boolean refusedRoom;

  public SimulatedDisk(Random random) {
    this.random = random;
  }

  public void plant(Fault fault) {
    faults.add(fault);
  }

  /** Dies at the given operation from now, 0 being the next. */
  public void crashAfter(int operations) {
    crashAfter = operations;
  }

  public boolean hasCrashed() {
    return crashed;
  }

  public void failNextForce() {
    failNextForce = true;
  }

  public void failNoForce() {
    failNextForce = false;
  }

  /** Limits the disk's size; files that are there already stay. */
  public void setBytesMax(long bytes) {
    bytesMax = bytes;
    refusedRoom = false;
  }

  /** Whether it has refused room since it got its size. */
  public boolean hasRefusedRoom() {
    return refusedRoom;
  }

  public long usedBytes() {
    return names.values().stream().mapToLong(SimulatedFile::size).sum();
  }

  public void writeBackSome() {
    names.values().forEach(file -> file.writeBack(random));
  }

  /** Writing back fails for some of what is dirty in the log; no process has heard of it yet. */
  public void failToWriteBackSome() {
    names.forEach(
        (name, file) -> {
          if (FileNames.segmentSequence(name).isPresent()) {
            file.failWriteBack(failures);
          }
        });
  }

  /** What a failed force has left may go from memory, now or later. */
  private void evictSome() {
    names.values().forEach(file -> file.evict(failures));
  }

  /** The process is dead and another one starts: everything stored is still there. */
  public void restartProcess() {
    crashed = false;
    crashAfter = -1;
    failNextForce = false;
    if (failures.nextBoolean()) {
      evictSome();
    }
  }

  /** The machine is dead and starts again: what was not synced may be there or not. */
  public void losePower() {
    restartProcess();
    Map<SimulatedFile, SimulatedFile> survivors = new HashMap<>();
    keepSomeNames();
    names.clear();
    namesOnDisk.replaceAll(
        (name, file) -> survivors.computeIfAbsent(file, lost -> lost.afterPowerLoss(random)));
    names.putAll(namesOnDisk);
    unsyncedNames.clear();
    forceAfterRename.clear();
  }

  /** Each unsynced change is kept or lost; what builds upon a lost one is lost with it. */
  private void keepSomeNames() {
    int keptOf8 = random.nextInt(9);
    Set<String> lost = new HashSet<>();
    for (NameChange change : unsyncedNames) {
      boolean dependsOnLost = lost.contains(change.from()) || lost.contains(change.to());
      if (dependsOnLost || random.nextInt(8) >= keptOf8) {
        lost.add(change.from());
        lost.add(change.to());
      } else {
        apply(change, namesOnDisk);
      }
    }
  }

  private static void apply(NameChange change, Map<String, SimulatedFile> to) {
    if (change.from() != null) {
      to.remove(change.from());
    }
    if (change.to() != null) {
      to.put(change.to(), change.file());
    }
  }

  private void change(NameChange change) {
    apply(change, names);
    unsyncedNames.add(change);
  }

  /** The bytes of all files as programs see them, to be compared later. */
  public Map<String, byte[]> snapshot() {
    Map<String, byte[]> copy = new TreeMap<>();
    names.forEach((name, file) -> copy.put(name, file.memory().clone()));
    return copy;
  }

  /** Takes back some of what was stored since the snapshot, as if the process died storing it. */
  public void tearStoresSince(Map<String, byte[]> before) {
    int keptOf8 = random.nextInt(8);
    before.forEach(
        (name, old) -> {
          SimulatedFile file = names.get(name);
          if (file == null || file.size() != old.length) {
            return;
          }
          if (name.equals(StatusPage.NAME)) {
            file.buffer().put(0, old); // it is told of an entry behind its last byte
            return;
          }
          for (int i = 0; i < old.length; i++) {
            if (file.memory()[i] != old[i] && random.nextInt(8) >= keptOf8) {
              file.memory()[i] = old[i];
            }
          }
        });
  }

  /** Flips a bit of a file, in memory and on disk. */
  public void flipBit(String name, int offset, int bit) {
    SimulatedFile file = names.get(name);
    file.memory()[offset] ^= (byte) (1 << bit);
    file.force(0, file.size());
  }

  private void operation() {
    if (crashed || crashAfter == 0) {
      crashed = true;
      throw new SimulatedCrash();
    }
    if (crashAfter > 0) {
      crashAfter--;
    }
    if (failures.nextInt(32) == 0) {
      evictSome();
    }
  }

  @Override
  public List<String> list() {
    return List.copyOf(names.keySet());
  }

  @Override
  public MappedFile create(String name, int bytes) {
    operation();
    takeRoom(name, bytes);
    SimulatedFile file = new SimulatedFile(new byte[bytes], new byte[bytes]);
    change(new NameChange(null, name, file));
    return new Mapping(name, file);
  }

  private void takeRoom(String name, int bytes) {
    SimulatedFile old = names.get(name);
    if (usedBytes() - (old == null ? 0 : old.size()) + bytes > bytesMax) {
      refusedRoom = true;
      throw new LogException(Category.NO_SPACE, "Cannot write " + name + ": the disk is full");
    }
  }

  @Override
  public MappedFile map(String name) {
    return new Mapping(name, file(name));
  }

  private SimulatedFile file(String name) {
    SimulatedFile file = names.get(name);
    if (file == null) {
      throw new LogException(Category.IO, "There is no file " + name);
    }
    return file;
  }

  @Override
  public byte[] read(String name) {
    return file(name).memory().clone();
  }

  @Override
  public void write(String name, byte[] content) {
    operation();
    takeRoom(name, content.length);
    if (names.containsKey(name)) {
      file(name).replace(content.clone());
    } else {
      change(new NameChange(null, name, new SimulatedFile(content.clone(), new byte[0])));
    }
    operation();
  }

  @Override
  public byte[] read(String name, long offset, int bytes) {
    byte[] content = file(name).memory();
    int from = (int) Math.min(offset, content.length);
    return Arrays.copyOfRange(content, from, Math.min(content.length, from + bytes));
  }

  @Override
  public void append(String name, ByteBuffer content) {
    operation();
    byte[] old = names.containsKey(name) ? file(name).memory() : new byte[0];
    byte[] all = Arrays.copyOf(old, old.length + content.remaining());
    takeRoom(name, all.length);
    content.get(all, old.length, content.remaining());
    if (names.containsKey(name)) {
      file(name).replace(all);
    } else {
      change(new NameChange(null, name, new SimulatedFile(all, new byte[0])));
    }
    operation();
  }

  @Override
  public void force(String name) {
    operation();
    if (faults.contains(Fault.RENAME_BEFORE_FORCE) && name.startsWith("checkpoint")) {
      forceAfterRename.add(name.replace(FileNames.UNFINISHED, ""));
      return;
    }
    file(name).force(0, file(name).size());
    operation();
  }

  @Override
  public void rename(String from, String to) {
    operation();
    change(new NameChange(from, to, file(from)));
    operation();
  }

  @Override
  public void delete(String name) {
    operation();
    if (names.containsKey(name)) {
      change(new NameChange(name, null, null));
    }
    operation();
  }

  @Override
  public void forceDirectory() {
    operation();
    if (!faults.contains(Fault.DIRECTORY_NOT_FORCED)) {
      namesOnDisk.clear();
      namesOnDisk.putAll(names);
      unsyncedNames.clear();
    }
    operation();
    forceAfterRename.stream()
        .filter(names::containsKey)
        .forEach(name -> file(name).force(0, file(name).size()));
    forceAfterRename.clear();
  }

  @Override
  public String describe(String name) {
    return "simulated/" + name;
  }

  private final class Mapping implements MappedFile {
    private final boolean isStatus;
    private final SimulatedFile file;

    Mapping(String name, SimulatedFile file) {
      this.isStatus = name.startsWith(StatusPage.NAME);
      this.file = file;
    }

    @Override
    public ByteBuffer buffer() {
      return file.buffer();
    }

    @Override
    public void zero(int offset, int bytes) {
      operation();
      if (faults.contains(isStatus ? Fault.KEEP_NOTES : Fault.KEEP_STALE_TAIL)) {
        return;
      }
      int half = random.nextInt(bytes + 1);
      file.zero(offset, half);
      operation();
      file.zero(offset + half, bytes - half);
    }

    @Override
    public void rewrite(int offset, int bytes) {
      operation();
      if (!faults.contains(Fault.TRUST_MEMORY)) {
        file.rewrite(offset, bytes);
      }
    }

    @Override
    public void force(int offset, int bytes) {
      operation();
      if (failNextForce && !isStatus) {
        failNextForce = false;
        file.failForce(offset, bytes);
        throw new LogException(Category.IO, "The disk failed");
      }
      if (isStatus || !faults.contains(Fault.FORCE_NOTHING)) {
        file.force(offset, bytes);
      }
      if (file.hearsOfFailure() && !faults.contains(Fault.FAILURES_UNHEARD)) {
        throw new LogException(Category.IO, "The disk failed before");
      }
      operation();
    }
  }
}
