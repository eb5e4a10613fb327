package io.mgtm.block.volume;

import io.mgtm.block.intent.BitmapFile;
import io.mgtm.block.intent.ChunkSet;
import io.mgtm.block.intent.IntentBitmap;
import io.mgtm.block.intent.MemoryFile;
import io.mgtm.block.intent.Opening;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * The files beside a node's bytes: the state, replaced at once, which rots and vanishes, and the
 * bitmaps, which tear too. Follows {@code MetaDirectory}.
 */
final class ModelFiles {
  private final ModelWorld world;
  private final Random random;
  private final Map<String, MemoryFile> files = new TreeMap<>();
  private final Map<String, BitmapFile> open = new HashMap<>();
  private Map<String, Map<Integer, byte[]>> pagesUnderWay = Map.of();
  private VolumeState stateUnderWay;
  private boolean stateLost;
  private VolumeState former;
  private int lives;
  private Opening opening = Opening.NONE;
  VolumeState state;

  ModelFiles(ModelWorld world, VolumeState state) {
    this.world = world;
    this.random = world.random;
    // A primary is made with an id, as a volume's first copy is.
    this.state =
        state.role() == Role.PRIMARY ? state.withStanding(state.standing().orOf("first")) : state;
  }

  private boolean fails(boolean failing) {
    return failing && random.nextInt(4) == 0;
  }

  // The state.

  void beginState(VolumeState newer) {
    stateUnderWay = newer;
  }

  boolean endState(boolean failing) {
    VolumeState newer = stateUnderWay;
    stateUnderWay = null;
    if (fails(failing)) {
      return false;
    }
    save(newer);
    return true;
  }

  private void save(VolumeState newer) {
    try {
      for (String peer : newer.slots().keySet()) {
        BitmapFile file = file(peer, newer);
        if (world.fault != ModelFault.BITMAP_KEEPS_ITS_SIZE) {
          file.grow(newer.chunks());
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    former = state;
    state = world.promotions.written(this, newer);
  }

  private BitmapFile file(String peer, VolumeState of) throws IOException {
    BitmapFile file = open.get(peer);
    if (file == null) {
      MemoryFile medium = new MemoryFile();
      file =
          BitmapFile.format(peer, medium, of.chunkBytes(), new IntentBitmap(of.chunks()), opening);
      files.put(peer, medium);
      open.put(peer, file);
    }
    return file;
  }

  // Bitmaps.

  static Map<String, Map<Integer, byte[]>> copyStale(Map<String, IntentBitmap> bitmaps) {
    Map<String, Map<Integer, byte[]>> batch = new LinkedHashMap<>();
    bitmaps.forEach(
        (peer, bitmap) -> {
          if (bitmap.isStale()) {
            ChunkSet stale = bitmap.beginBatch();
            Map<Integer, byte[]> pages = new LinkedHashMap<>();
            for (int page = stale.next(0); page >= 0; page = stale.next(page + 1)) {
              byte[] bits = new byte[IntentBitmap.PAGE_BYTES];
              bitmap.copyPage(page, bits);
              pages.put(page, bits);
            }
            batch.put(peer, pages);
          }
        });
    return batch;
  }

  void beginPages(Map<String, Map<Integer, byte[]>> batch) {
    pagesUnderWay = batch;
  }

  boolean endPages(boolean failing) {
    Map<String, Map<Integer, byte[]>> batch = pagesUnderWay;
    pagesUnderWay = Map.of();
    if (fails(failing)) {
      if (random.nextBoolean()) {
        writeWithoutForce(batch);
      }
      return false;
    }
    write(batch);
    return true;
  }

  /** It is in the page cache, and never comes to the disk by itself. */
  private void writeWithoutForce(Map<String, Map<Integer, byte[]>> batch) {
    files.values().forEach(file -> file.failForces(true));
    try {
      for (Map.Entry<String, Map<Integer, byte[]>> pages : batch.entrySet()) {
        BitmapFile file = open.get(pages.getKey());
        if (file != null) {
          file.write(pages.getValue());
        }
      }
    } catch (IOException e) {
      world.trace(e::getMessage);
    }
    files.values().forEach(file -> file.failForces(false));
  }

  void write(Map<String, Map<Integer, byte[]>> batch) {
    try {
      for (Map.Entry<String, Map<Integer, byte[]>> pages : batch.entrySet()) {
        file(pages.getKey(), state).write(pages.getValue());
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Room for more chunks. */
  void grow(int chunks) {
    try {
      for (BitmapFile file : open.values()) {
        if (world.fault != ModelFault.BITMAP_KEEPS_ITS_SIZE) {
          file.grow(chunks);
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  // Trouble.

  void crash(boolean power) {
    if (stateUnderWay != null && random.nextBoolean()) {
      save(stateUnderWay);
    }
    stateUnderWay = null;
    if (random.nextBoolean()) {
      writeWithoutForce(pagesUnderWay);
    }
    pagesUnderWay = Map.of();
    if (power) {
      files.values().forEach(file -> file.tear(random));
    }
    open.clear();
  }

  /**
   * While the node is down, its state is damaged or lost. Another copy has one, so that the
   * operator may give this one up: what only it had been told is gone.
   */
  String spoilState(ModelNode node) {
    List<VolumeState> others = new ArrayList<>();
    for (ModelNode other : world.nodes) {
      if (other != node && other.files.state.consistent() && !other.files.stateLost) {
        others.add(other.files.state);
      }
    }
    if (world.promotions.backupReturned) {
      return "metadata returned already";
    }
    if (others.stream().allMatch(other -> other.generations().isEmpty())) {
      return "no other copy has data";
    }
    stateLost = true;
    world.promotions.stateLost = true;
    world.history.givenUp(
        generation -> others.stream().noneMatch(o -> o.generations().contains(generation)));
    return "the state is lost";
  }

  /** Before its next start an operator moves the metadata away. */
  void moveAway() {
    stateLost = true;
  }

  /** The operator moves the metadata away: this is an empty copy with another id from then on. */
  private void beginAnew(ModelNode node) {
    stateLost = false;
    if (world.fault == ModelFault.DAMAGED_STATE_TAKEN_FROM_SPARE && former != null) {
      state = former;
      return;
    }
    boolean whole = world.fault == ModelFault.LOST_STATE_TAKEN_AS_WHOLE;
    lives++;
    VolumeState old = state;
    state =
        VolumeState.fresh(
            old.name(),
            "n" + node.index + "." + lives,
            old.sizeBytes(),
            old.chunkBytes(),
            Role.SECONDARY,
            whole ? newestOfOthers(node) : Generations.NONE);
    former = null;
    files.clear();
  }

  private Generations newestOfOthers(ModelNode node) {
    ModelNode other = world.nodes.get(node.index == 0 ? 1 : 0);
    return other.files.state.generations();
  }

  /** While the node is down, somebody or the disk spoils the file of a bitmap. */
  String spoilBitmap() {
    if (files.isEmpty()) {
      return "no bitmap";
    }
    List<String> peers = new ArrayList<>(files.keySet());
    String peer = peers.get(random.nextInt(peers.size()));
    if (random.nextInt(3) == 0) {
      files.remove(peer);
      return "the bitmap of " + peer + " is lost";
    }
    files.get(peer).rot(random);
    return "the bitmap of " + peer + " rots";
  }

  /** Opens everything; answers the bitmaps by peer. */
  Map<String, IntentBitmap> load(ModelNode node) {
    if (stateLost) {
      beginAnew(node);
      node.flushes.losePower();
    }
    node.backups.keep(state, opening, files);
    Map<String, IntentBitmap> loaded = new HashMap<>();
    List<String> lost = new ArrayList<>();
    VolumeState known = state;
    for (Map.Entry<String, VolumeState.Slot> slot : state.slots().entrySet()) {
      IntentBitmap bitmap = new IntentBitmap(state.chunks());
      if (load(slot.getKey(), bitmap)) {
        loaded.put(slot.getKey(), bitmap);
        continue;
      }
      IntentBitmap empty = new IntentBitmap(state.chunks());
      loaded.put(slot.getKey(), empty);
      lost.add(slot.getKey());
      if (world.fault == ModelFault.LOST_BITMAP_NOT_NOTED) {
        for (int chunk = 0; chunk < empty.size(); chunk++) {
          empty.load(chunk);
        }
      } else if (world.fault != ModelFault.DAMAGED_BITMAP_TAKEN_AS_EMPTY) {
        known = known.withSlot(slot.getKey(), slot.getValue().withFull(true));
      }
    }
    state = later(known);
    state = state.withOpenings(state.openings().with(world.promotions.newOpening()));
    opening = state.openings().newest();
    try {
      for (String peer : lost) {
        file(peer, state);
      }
      for (Map.Entry<String, BitmapFile> file : open.entrySet()) {
        boolean forgotten =
            world.fault == ModelFault.LOST_BITMAP_NOT_NOTED && lost.contains(file.getKey());
        IntentBitmap bits =
            forgotten ? new IntentBitmap(state.chunks()) : loaded.get(file.getKey());
        file.getValue().begin(bits, opening);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return loaded;
  }

  /** What the state is worth where a bitmap was written in a later opening. */
  private VolumeState later(VolumeState known) {
    if (world.fault == ModelFault.OPENING_OF_BITMAP_NOT_LOOKED_AT) {
      return known;
    }
    VolumeState worth = known;
    for (BitmapFile file : open.values()) {
      Opening of = file.opening();
      if (of.count() > opening.count() && of.count() > worth.openings().count()) {
        worth = worth.older(of, world.promotions.newOpening(), worth.role() == Role.PRIMARY);
      }
    }
    return worth;
  }

  /** Files of an earlier time come back; null stays as it is. */
  void replace(VolumeState newState, Opening newOpening, Map<String, MemoryFile> bitmaps) {
    state = newState == null ? state : newState;
    opening = newOpening == null ? opening : newOpening;
    if (bitmaps != null) {
      files.clear();
      files.putAll(bitmaps);
    }
  }

  private boolean load(String peer, IntentBitmap bitmap) {
    MemoryFile file = files.get(peer);
    if (file == null) {
      return false;
    }
    try {
      BitmapFile found = BitmapFile.open(peer, file, state.chunkBytes(), bitmap);
      open.put(peer, found);
      return found.opening().equals(opening)
          || world.fault == ModelFault.OPENING_OF_BITMAP_NOT_LOOKED_AT;
    } catch (BitmapFile.Damage e) {
      world.trace(e::getMessage);
      if (world.fault == ModelFault.BITMAP_KEEPS_ITS_SIZE && e.getMessage().contains("is for")) {
        return loadSmaller(peer, file, bitmap);
      }
      return false;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** As once: the bits that the header covers, and no word of the others. */
  private boolean loadSmaller(String peer, MemoryFile file, IntentBitmap bitmap) {
    for (int chunks = bitmap.size() - 1; chunks > 0; chunks--) {
      try {
        IntentBitmap part = new IntentBitmap(chunks);
        open.put(peer, BitmapFile.open(peer, file, state.chunkBytes(), part));
        for (int c = part.bits().next(0); c >= 0; c = part.bits().next(c + 1)) {
          bitmap.load(c);
        }
        return true;
      } catch (IOException e) {
        // Still too many.
      }
    }
    return false;
  }
}
