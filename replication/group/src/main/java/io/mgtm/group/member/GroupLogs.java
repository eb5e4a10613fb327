package io.mgtm.group.member;

import io.mgtm.group.GroupMode;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.StateMachine;
import io.mgtm.group.net.JGroupsSettings;
import io.mgtm.group.net.JGroupsTransport;
import io.mgtm.group.net.MessageOrder;
import io.mgtm.group.net.Reach;
import java.nio.file.Path;
import java.util.concurrent.Executor;

/** Opens the log of a member in the mode that its group runs in. */
public final class GroupLogs {
  private GroupLogs() {}

  /**
   * Opens the member's folder, or begins one, and joins the group. Called by the owner thread, or
   * before it runs.
   *
   * @param mode the same on all members; members of different modes do not see each other. Not
   *     {@code TOTAL}, whose log is {@link io.mgtm.group.total.TotalLog}
   * @throws io.mgtm.group.LogException as {@link MemberParts#open} and {@link GroupLog#open} throw
   */
  public static GroupLog open(
      GroupMode mode,
      Path folder,
      GroupSettings settings,
      JGroupsSettings network,
      StateMachine machine,
      Executor owner,
      ReplicatedLog.Listener listener) {
    if (mode == GroupMode.TOTAL) {
      throw new IllegalArgumentException("mode total has no log of a leader");
    }
    JGroupsSettings own = network.ofMode(mode);
    // The pair decides by the views who is counted.
    Reach reach = mode == GroupMode.LAZY ? Reach.VIEW : Reach.CONNECTION;
    JGroupsTransport transport =
        mode == GroupMode.CAUSAL
            ? new JGroupsTransport(settings.name(), own, MessageOrder.CAUSAL)
            : new JGroupsTransport(
                settings.name(), own, JGroupsTransport.loopOf(owner, own), reach);
    return GroupLog.open(
        mode,
        MemberParts.open(folder, settings.name()),
        settings,
        machine,
        owner,
        listener,
        MemberListener.NONE,
        transport);
  }
}
