package io.mgtm.group.raft;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.net.GroupChannels;
import io.mgtm.group.net.JGroupsSettings;
import java.util.List;
import java.util.Objects;
import org.jgroups.Address;
import org.jgroups.JChannel;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.util.ExtendedUUID;
import org.jgroups.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The channel below jgroups-raft. An address carries the member's name, and whether its folder is
 * one that may have forgotten what a former one promised. Any thread.
 */
final class RaftChannel implements Receiver, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RaftChannel.class);
  private static final byte[] UNSETTLED_KEY = "mgtm.unsettled".getBytes(UTF_8);

  private final String name;
  private final JChannel channel;
  private final Runnable viewChanged;
  private volatile View view;

  private RaftChannel(String name, JChannel channel, Runnable viewChanged) {
    this.name = name;
    this.channel = channel;
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
      boolean settled,
      Runnable viewChanged) {
    try {
      JChannel channel = GroupChannels.open(network, List.of(election, raft));
      channel.addAddressGenerator(
          () -> {
            ExtendedUUID address = ExtendedUUID.randomUUID(name);
            return settled ? address : address.put(UNSETTLED_KEY, new byte[] {1});
          });
      channel.name(name);
      RaftChannel opened = new RaftChannel(name, channel, viewChanged);
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
    log.info("Member {} is connected with {}", name, connected());
    viewChanged.run();
  }

  static String nameOf(Address address) {
    byte[] stored = address instanceof ExtendedUUID id ? id.get(RAFT.raft_id_key) : null;
    return stored == null ? null : new String(stored, UTF_8);
  }

  static boolean isUnsettled(Address address) {
    return address instanceof ExtendedUUID id && id.keyExists(UNSETTLED_KEY);
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

  /** Whether all of a group are here, and none has a folder from before. */
  boolean isFirstMeeting(List<String> founders) {
    return connected().containsAll(founders)
        && addresses().stream().allMatch(RaftChannel::isUnsettled);
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
