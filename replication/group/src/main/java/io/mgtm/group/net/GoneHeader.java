package io.mgtm.group.net;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.function.Supplier;
import org.jgroups.Header;
import org.jgroups.util.Bits;

/**
 * With what a member answers who asks for messages that it does not keep any more: {@code |
 * through, compressed as JGroups does |}, the number of the last of them.
 */
public final class GoneHeader extends Header {
  static final short MAGIC = 1_101;

  private long through;

  /** For JGroups, which reads into it. */
  public GoneHeader() {}

  GoneHeader(long through) {
    this.through = through;
  }

  long through() {
    return through;
  }

  @Override
  public short getMagicId() {
    return MAGIC;
  }

  @Override
  public Supplier<? extends Header> create() {
    return GoneHeader::new;
  }

  @Override
  public int serializedSize() {
    return Bits.size(through);
  }

  @Override
  public void writeTo(DataOutput out) throws IOException {
    Bits.writeLongCompressed(through, out);
  }

  @Override
  public void readFrom(DataInput in) throws IOException {
    through = Bits.readLongCompressed(in);
  }
}
