package io.mgtm.group.net;

import java.util.List;
import org.jgroups.JChannel;
import org.jgroups.stack.Protocol;

/** Makes channels with a group's stack. */
public final class GroupChannels {
  private GroupChannels() {}

  /**
   * A channel that is not connected yet, with reliable messages and protocols on top.
   *
   * @param onTop from the bottom up
   * @throws Exception what JGroups throws when the stack cannot be made
   */
  public static JChannel open(JGroupsSettings settings, List<Protocol> onTop) throws Exception {
    if (settings.stackFile().isEmpty()) {
      List<Protocol> stack = JGroupsStack.of(settings);
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
}
