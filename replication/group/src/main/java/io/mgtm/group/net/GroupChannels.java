package io.mgtm.group.net;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.util.List;
import java.util.Optional;
import org.jgroups.JChannel;
import org.jgroups.stack.Configurator;
import org.jgroups.stack.Protocol;

/** Makes channels with a group's stack. */
public final class GroupChannels {
  private GroupChannels() {}

  /**
   * A channel that is not connected yet, with reliable messages and protocols on top.
   *
   * @param transport none with a stack of an operator's own
   * @param onTop from the bottom up
   * @throws Exception what JGroups throws when the stack cannot be made
   */
  static synchronized JChannel open(
      JGroupsSettings settings, Optional<NettyTransport> transport, List<Protocol> onTop)
      throws Exception {
    // JGroups would look through every method and field of the protocols for addresses without a
    // value, an eighth of a member's start; the built-in stack has none.
    Configurator.skipSettingDefaultValues(transport.isPresent());
    if (transport.isPresent()) {
      List<Protocol> stack = JGroupsStack.of(settings, transport.get());
      stack.addAll(onTop);
      return new JChannel(stack);
    }
    JChannel configured = new JChannel(settings.stackFile().get().toString());
    onTop.forEach(configured.getProtocolStack()::addProtocol);
    for (Protocol protocol : onTop) {
      protocol.init();
    }
    return configured;
  }

  /** What a member's owner is told when its channel cannot be made or connected. */
  public static LogException refused(String member, JGroupsSettings settings, Exception cause) {
    return new LogException(
        Category.ACCESS,
        "Member %s cannot take part in the group at %s: %s; give it a free address of this machine"
            .formatted(member, settings.bind(), cause.getMessage()),
        cause);
  }
}
