package io.mgtm.group.net;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jgroups.Address;
import org.jgroups.Header;
import org.jgroups.util.UUID;

/**
 * What {@link Causal} adds to a message.
 *
 * <pre>
 * | view:i64 | count:i64 | flags:u8 | [target: member] | members:u8 | member, count:i64 | ... |
 * member: | most significant bits:i64 | least significant bits:i64 | of its address
 * </pre>
 */
public final class CausalHeader extends Header {
  static final short MAGIC = 1_100;

  private static final int HAS_TARGET = 1;
  private static final int IS_CLOCK = 2;
  private static final int MEMBERS_MAX = 255;
  private static final int MEMBER_BYTES = 16;

  private CausalOrder.Stamp<Address> stamp;
  private Address target;
  private boolean clock;

  /** For JGroups, which reads into it. */
  public CausalHeader() {}

  CausalHeader(CausalOrder.Stamp<Address> stamp, Address target, boolean clock) {
    if (stamp.seen().size() > MEMBERS_MAX) {
      throw new IllegalArgumentException("a view of more than %d members".formatted(MEMBERS_MAX));
    }
    this.stamp = stamp;
    this.target = target;
    this.clock = clock;
  }

  CausalOrder.Stamp<Address> stamp() {
    return stamp;
  }

  /** Whom the message is for, null when it is for all. */
  Address target() {
    return target;
  }

  /** Whether the message carries nothing but the clock. */
  boolean isClock() {
    return clock;
  }

  @Override
  public short getMagicId() {
    return MAGIC;
  }

  @Override
  public Supplier<? extends Header> create() {
    return CausalHeader::new;
  }

  @Override
  public int serializedSize() {
    int forTarget = target == null ? 0 : MEMBER_BYTES;
    return 8 + 8 + 1 + forTarget + 1 + stamp.seen().size() * (MEMBER_BYTES + 8);
  }

  @Override
  public void writeTo(DataOutput out) throws IOException {
    out.writeLong(stamp.view());
    out.writeLong(stamp.count());
    out.writeByte((target == null ? 0 : HAS_TARGET) | (clock ? IS_CLOCK : 0));
    if (target != null) {
      write(target, out);
    }
    out.writeByte(stamp.seen().size());
    for (Map.Entry<Address, Long> seen : stamp.seen().entrySet()) {
      write(seen.getKey(), out);
      out.writeLong(seen.getValue());
    }
  }

  private static void write(Address member, DataOutput out) throws IOException {
    UUID id = (UUID) member;
    out.writeLong(id.getMostSignificantBits());
    out.writeLong(id.getLeastSignificantBits());
  }

  private static Address read(DataInput in) throws IOException {
    long most = in.readLong();
    return new UUID(most, in.readLong());
  }

  @Override
  public void readFrom(DataInput in) throws IOException {
    long view = in.readLong();
    long count = in.readLong();
    int flags = in.readUnsignedByte();
    target = (flags & HAS_TARGET) == 0 ? null : read(in);
    clock = (flags & IS_CLOCK) != 0;
    int members = in.readUnsignedByte();
    Map<Address, Long> seen = new HashMap<>();
    for (int i = 0; i < members; i++) {
      Address member = read(in);
      seen.put(member, in.readLong());
    }
    stamp = new CausalOrder.Stamp<>(view, count, seen);
  }
}
