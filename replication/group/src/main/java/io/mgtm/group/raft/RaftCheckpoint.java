package io.mgtm.group.raft;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jgroups.protocols.raft.PersistentState;

/**
 * The state after an entry of jgroups-raft's log, as it stands in a checkpoint and goes to a member
 * that lags behind. jgroups-raft's membership comes first, as its protocol asks.
 *
 * <pre>
 * | membership | version:u8 | index:i64 | commands:i64 | leadership:i64 | term:i64 | leader:utf |
 * | state's bytes:i32 | state |
 * </pre>
 *
 * @param index of the last entry, in jgroups-raft's count
 * @param commands how many commands there are up to it
 * @param leadership whose commands count
 * @param term of that leader, and its name
 * @param members the names of the voters
 */
record RaftCheckpoint(
    long index,
    long commands,
    long leadership,
    long term,
    String leader,
    List<String> members,
    ByteBuffer state) {
  private static final byte VERSION = 1;

  byte[] encoded() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream to = new DataOutputStream(bytes);
    PersistentState membership = new PersistentState();
    membership.setMembers(members);
    byte[] content = new byte[state.remaining()];
    state.duplicate().get(content);
    try {
      membership.writeTo(to);
      to.writeByte(VERSION);
      to.writeLong(index);
      to.writeLong(commands);
      to.writeLong(leadership);
      to.writeLong(term);
      to.writeUTF(leader);
      to.writeInt(content.length);
      to.write(content);
    } catch (IOException e) {
      throw new IllegalStateException("memory cannot be written", e);
    }
    return bytes.toByteArray();
  }

  /**
   * Reads all of it.
   *
   * @throws LogException with FORMAT when it is none of this version
   */
  static RaftCheckpoint decode(byte[] bytes) {
    try {
      DataInputStream from = new DataInputStream(new ByteArrayInputStream(bytes));
      PersistentState membership = new PersistentState();
      membership.readFrom(from);
      return afterMembership(from, membership.getMembers());
    } catch (IOException e) {
      throw new LogException(Category.FORMAT, "a checkpoint that is cut off", e);
    }
  }

  /** Reads what comes after the membership. */
  static RaftCheckpoint afterMembership(DataInput from, List<String> members) throws IOException {
    int version = from.readByte();
    if (version != VERSION) {
      throw new LogException(
          Category.FORMAT,
          "the checkpoint has version %d and this program reads version %d; start the newer program"
              .formatted(version, VERSION));
    }
    long index = from.readLong();
    long commands = from.readLong();
    long leadership = from.readLong();
    long term = from.readLong();
    String leader = from.readUTF();
    byte[] state = new byte[from.readInt()];
    from.readFully(state);
    return new RaftCheckpoint(
        index, commands, leadership, term, leader, members, ByteBuffer.wrap(state));
  }
}
