package io.mgtm.group.core.sim;

import static io.mgtm.group.core.sim.Violation.check;

import io.mgtm.group.core.CoreLog;
import io.mgtm.group.core.Entry;
import io.mgtm.group.core.EntryKind;
import io.mgtm.group.core.Membership;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** The log of a running node, on its disk. */
final class SimLog implements CoreLog {
  private final GroupSimulation world;
  private final SimNode node;
  private final SimDisk disk;
  private boolean forcing;

  /** How long storing takes: of its own, so that nothing else in a schedule depends on it. */
  private final SplittableRandom storing = new SplittableRandom(7);

  private Checkpoint incoming;
  private ByteArrayOutputStream content;
  private boolean ready;

  SimLog(GroupSimulation world, SimNode node) {
    this.world = world;
    this.node = node;
    this.disk = node.disk;
  }

  @Override
  public long baseIndex() {
    return disk.base;
  }

  @Override
  public long lastIndex() {
    return votesForAll() ? 0 : disk.last();
  }

  @Override
  public long durableIndex() {
    return world.fault == Fault.REQUIRED_ACKNOWLEDGED_BEFORE_FORCE ? disk.last() : disk.durable;
  }

  private boolean votesForAll() {
    return world.fault == Fault.WITNESS_VOTES_FOR_A_LOG_BEHIND && node.isWitness();
  }

  @Override
  public long termAt(long index) {
    if (votesForAll()) {
      return 0;
    }
    check(index >= disk.base && index <= disk.last(), "term of %d is asked for", index);
    return index == disk.base ? disk.baseTerm : disk.entry(index).term();
  }

  @Override
  public List<Entry> read(long fromIndex, int bytesMax) {
    int from = (int) (fromIndex - disk.base - 1);
    int to = Math.min(disk.entries.size(), from + Math.max(1, bytesMax / 25));
    return List.copyOf(disk.entries.subList(from, to));
  }

  @Override
  public boolean hasRoom() {
    return !node.isWitness();
  }

  @Override
  public void append(Entry entry) {
    disk.entries.add(world.fault == Fault.LOSS_NOT_TOLD ? asIfNothingWereMissing(entry) : entry);
  }

  private static Entry asIfNothingWereMissing(Entry entry) {
    if (entry.kind() != EntryKind.TERM_START) {
      return entry;
    }
    ByteBuffer payload = ByteBuffer.allocate(entry.payload().remaining());
    payload.put(entry.payload().duplicate()).flip();
    payload.put(0, (byte) 0);
    return new Entry(entry.term(), entry.kind(), entry.durability(), payload);
  }

  @Override
  public void truncate(long fromIndex) {
    disk.keepUpTo(fromIndex - 1);
    node.truncated(fromIndex);
  }

  @Override
  public void requestForce() {
    if (forcing) {
      return;
    }
    forcing = true;
    long term = disk.last() == disk.base ? disk.baseTerm : disk.entry(disk.last()).term();
    long upTo = disk.last();
    world.after(
        world.forceMs(node.name),
        () -> {
          forcing = false;
          // What was cut and written anew in between is another entry.
          boolean still = upTo <= disk.last() && upTo >= disk.base && termAt(upTo) == term;
          if (node.alive && still) {
            disk.durable = Math.max(disk.durable, upTo);
            node.step(() -> node.core.forced(world.nowMs()));
          }
          if (node.alive && disk.durable < disk.last()) {
            requestForce();
          }
        });
  }

  @Override
  public Checkpoint newestCheckpoint() {
    return node.isWitness() ? null : disk.checkpoint;
  }

  /** A checkpoint of a content. */
  static Checkpoint checkpoint(long index, long term, Membership membership, ByteBuffer content) {
    CRC32C crc = new CRC32C();
    crc.update(content.duplicate());
    return new Checkpoint(index, term, membership, content.remaining(), (int) crc.getValue());
  }

  @Override
  public ByteBuffer read(Checkpoint checkpoint, long offset, int bytesMax) {
    ByteBuffer kept = disk.contentOf(checkpoint);
    return kept == null
        ? null
        : kept.slice((int) offset, (int) Math.min(bytesMax, checkpoint.bytes() - offset));
  }

  @Override
  public void receive(Checkpoint checkpoint, long offset, ByteBuffer piece) {
    if (offset == 0) {
      incoming = checkpoint;
      content = new ByteArrayOutputStream();
      ready = false;
    }
    check(checkpoint.equals(incoming), "a piece of another checkpoint");
    check(offset == content.size(), "a piece at %d after %d", offset, content.size());
    ByteArrayOutputStream to = content;
    byte[] bytes = new byte[piece.remaining()];
    piece.duplicate().get(bytes);
    boolean refused = storing.nextInt(40) == 0 && !world.isCalm();
    world.after(storing.nextInt(4), () -> node.step(() -> stored(to, refused, bytes)));
  }

  private void stored(ByteArrayOutputStream to, boolean refused, byte[] bytes) {
    if (to != content) {
      return;
    }
    if (!refused) {
      to.writeBytes(bytes);
    }
    Checkpoint of = incoming;
    node.core.received(world.nowMs(), of, refused ? 0 : to.size(), false);
    if (to.size() == of.bytes()) {
      world.after(storing.nextInt(50), () -> node.step(() -> decoded(to)));
    }
  }

  private void decoded(ByteArrayOutputStream from) {
    if (from == content) {
      ready = true;
      node.core.received(world.nowMs(), incoming, incoming.bytes(), true);
    }
  }

  @Override
  public void install(Checkpoint checkpoint) {
    if (node.isWitness()) {
      boolean late = world.fault == Fault.WITNESS_ACKNOWLEDGES_BEFORE_STORING;
      disk.storePosition(late ? disk.checkpoint : checkpoint);
    }
    ByteBuffer whole = ByteBuffer.allocate(0);
    if (!node.isWitness()) {
      check(ready && checkpoint.equals(incoming), "an install of what is not ready");
      whole = ByteBuffer.wrap(content.toByteArray());
      check(
          checkpoint(checkpoint.index(), checkpoint.term(), checkpoint.membership(), whole)
              .equals(checkpoint),
          "an install of what was not sent");
      content = null;
    }
    disk.install(checkpoint, whole);
    node.installed(checkpoint);
  }
}
