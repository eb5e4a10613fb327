package io.mgtm.group.member;

import io.mgtm.group.GroupMode;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.StateMachine;
import io.mgtm.group.net.JGroupsSettings;
import io.mgtm.group.net.JGroupsTransport;
import io.mgtm.group.net.Reach;
import io.mgtm.group.net.Transport;
import java.nio.file.Path;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.UnaryOperator;

/** Opens the log of a member in the mode that its group runs in. */
public final class GroupLogs {
  private GroupLogs() {}

  /**
   * Opens the member's folder, or begins one, and joins the group. Called by the owner thread, or
   * before it runs.
   *
   * @param mode the same on all members; members of different modes do not see each other. Not
   *     {@code TOTAL}, whose log is {@link io.mgtm.group.total.TotalLog}
   * @throws io.mgtm.group.LogException as {@link MemberParts#open} {@link GroupLog#open} and {@link
   *     WitnessLog#open} throw
   */
  public static MemberLog open(
      GroupMode mode,
      Path folder,
      GroupSettings settings,
      JGroupsSettings network,
      StateMachine machine,
      ScheduledExecutorService owner,
      ReplicatedLog.Listener listener) {
    return open(
        mode, folder, settings, network, UnaryOperator.identity(), machine, owner, listener);
  }

  /**
   * The same.
   *
   * @param ways made of the way to the members' machines: to those that are none too
   */
  public static MemberLog open(
      GroupMode mode,
      Path folder,
      GroupSettings settings,
      JGroupsSettings network,
      UnaryOperator<Transport> ways,
      StateMachine machine,
      ScheduledExecutorService owner,
      ReplicatedLog.Listener listener) {
    if (mode == GroupMode.TOTAL) {
      throw new IllegalArgumentException("mode total has no log of a leader");
    }
    JGroupsSettings own = network.ofMode(mode);
    // A pair without a witness decides by the views who is counted.
    boolean byView = mode == GroupMode.LAZY && settings.configured().witness().isEmpty();
    Reach reach = byView ? Reach.VIEW : Reach.CONNECTION;
    Transport transport =
        ways.apply(new JGroupsTransport(settings.name(), own, mode, owner, reach));
    MemberParts parts = MemberParts.open(folder, settings.name(), owner);
    if (settings.isWitness()) {
      return WitnessLog.open(mode, parts, settings, owner, listener, transport);
    }
    return GroupLog.open(
        mode, parts, settings, machine, owner, listener, MemberListener.NONE, transport);
  }
}
