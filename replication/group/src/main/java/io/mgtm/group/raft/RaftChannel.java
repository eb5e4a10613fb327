package io.mgtm.group.raft;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.group.net.GroupChannels;
import io.mgtm.group.net.JGroupsSettings;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.util.ExtendedUUID;
import org.jgroups.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The channel below jgroups-raft. An address carries the member's name. In each view every member
 * says whether it may vote.
 *
 * <pre>
 * | view:i64 | settled:u8 |
 * </pre>
 *
 * Any thread.
 */
final class RaftChannel implements Receiver, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RaftChannel.class);
  private static final int SAID_BYTES = 9;

  private final String name;
  private final JChannel channel;
  private final BooleanSupplier settled;
  private final Runnable changed;
  private final RaftMeeting meeting = new RaftMeeting();

  private RaftChannel(String name, JChannel channel, BooleanSupplier settled, Runnable changed) {
    this.name = name;
    this.channel = channel;
    this.settled = settled;
    this.changed = changed;
  }

  /**
   * Opens a channel that is not connected yet.
   *
   * @param settled whether this member's folder has everything that it may have promised
   * @param changed told, on JGroups' threads, of each view and of what a member says of itself
   * @throws io.mgtm.group.LogException with ACCESS when the own address cannot be used
   */
  static RaftChannel open(
      String name,
      JGroupsSettings network,
      GroupElection election,
      GroupRaft raft,
      BooleanSupplier settled,
      Runnable changed) {
    try {
      JChannel channel = GroupChannels.open(network, List.of(election, raft));
      channel.name(name);
      RaftChannel opened = new RaftChannel(name, channel, settled, changed);
      channel.setReceiver(opened);
      return opened;
    } catch (Exception e) {
      throw GroupChannels.refused(name, network, e);
    }
  }

  void connect(JGroupsSettings network) {
    try {
      channel.connect(network.cluster());
    } catch (Exception e) {
      throw GroupChannels.refused(name, network, e);
    }
  }

  @Override
  public void viewAccepted(View now) {
    meeting.begins(now);
    log.info("Member {} is connected with {}", name, connected());
    say();
    changed.run();
  }

  /** Tells all members of the view whether this one may vote. */
  void say() {
    long view = meeting.view();
    if (view < 0) {
      return;
    }
    ByteBuffer bytes = ByteBuffer.allocate(SAID_BYTES);
    bytes.putLong(view).put((byte) (settled.getAsBoolean() ? 1 : 0));
    try {
      channel.send(new BytesMessage(null, bytes.array()));
    } catch (Exception e) {
      log.warn("Member {} could not tell the others of itself: {}", name, e.toString());
    }
  }

  @Override
  public void receive(Message message) {
    if (message.getLength() == SAID_BYTES) {
      ByteBuffer bytes = ByteBuffer.wrap(message.getArray(), message.getOffset(), SAID_BYTES);
      meeting.said(message.getSrc(), bytes.getLong(), bytes.get() != 0);
      changed.run();
    }
  }

  static String nameOf(Address address) {
    byte[] stored = address instanceof ExtendedUUID id ? id.get(RAFT.raft_id_key) : null;
    return stored == null ? null : new String(stored, UTF_8);
  }

  /** Who is here, and what each has said of itself. */
  RaftMeeting meeting() {
    return meeting;
  }

  List<String> connected() {
    return meeting.names();
  }

  /** This process among all that ever had its name. */
  UUID address() {
    return (UUID) channel.getAddress();
  }

  @Override
  public void close() {
    channel.close();
  }
}
