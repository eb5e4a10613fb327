package io.mgtm.group.raft;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.net.GroupChannels;
import io.mgtm.group.net.JGroupsSettings;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
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
  private final Runnable viewChanged;
  private final Map<Address, Said> said = new ConcurrentHashMap<>();
  private volatile View view;

  /** What a member said of itself in a view. */
  private record Said(long view, boolean settled) {}

  private RaftChannel(
      String name, JChannel channel, BooleanSupplier settled, Runnable viewChanged) {
    this.name = name;
    this.channel = channel;
    this.settled = settled;
    this.viewChanged = viewChanged;
  }

  /**
   * Opens a channel that is not connected yet.
   *
   * @param settled whether this member's folder has everything that it may have promised
   * @throws LogException with ACCESS when the own address cannot be used
   */
  static RaftChannel open(
      String name,
      JGroupsSettings network,
      GroupElection election,
      GroupRaft raft,
      BooleanSupplier settled,
      Runnable viewChanged) {
    try {
      JChannel channel = GroupChannels.open(network, List.of(election, raft));
      channel.name(name);
      RaftChannel opened = new RaftChannel(name, channel, settled, viewChanged);
      channel.setReceiver(opened);
      return opened;
    } catch (Exception e) {
      throw refused(name, network, e);
    }
  }

  void connect(JGroupsSettings network) {
    try {
      channel.connect(network.cluster());
    } catch (Exception e) {
      throw refused(name, network, e);
    }
  }

  private static LogException refused(String name, JGroupsSettings network, Exception e) {
    return new LogException(
        Category.ACCESS,
        "Member %s cannot take part in the group at %s: %s; give it a free address of this machine"
            .formatted(name, network.bind(), e.getMessage()),
        e);
  }

  @Override
  public void viewAccepted(View now) {
    view = now;
    said.keySet().retainAll(now.getMembers());
    log.info("Member {} is connected with {}", name, connected());
    say();
    viewChanged.run();
  }

  /** Tells all members of the view whether this one may vote. */
  void say() {
    View now = view;
    if (now == null) {
      return;
    }
    ByteBuffer bytes = ByteBuffer.allocate(SAID_BYTES);
    bytes.putLong(now.getViewId().getId()).put((byte) (settled.getAsBoolean() ? 1 : 0));
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
      said.put(message.getSrc(), new Said(bytes.getLong(), bytes.get() != 0));
    }
  }

  static String nameOf(Address address) {
    byte[] stored = address instanceof ExtendedUUID id ? id.get(RAFT.raft_id_key) : null;
    return stored == null ? null : new String(stored, UTF_8);
  }

  /** The members that are connected, this one among them. */
  List<Address> addresses() {
    View now = view;
    return now == null ? List.of() : now.getMembers();
  }

  List<String> connected() {
    return addresses().stream()
        .map(RaftChannel::nameOf)
        .filter(Objects::nonNull)
        .distinct()
        .sorted()
        .toList();
  }

  /** The members that have said in this view that they may not vote. */
  List<Address> unsettled() {
    View now = view;
    return now == null
        ? List.of()
        : now.getMembers().stream()
            .filter(member -> new Said(now.getViewId().getId(), false).equals(said.get(member)))
            .toList();
  }

  /**
   * Whether all of a group are here, and each has said in this view that it has never voted: so
   * nobody has promised anything.
   */
  boolean isFirstMeeting(List<String> founders) {
    List<Address> here = addresses();
    return connected().containsAll(founders) && unsettled().containsAll(here);
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
