package io.mgtm.group.total;

import io.mgtm.group.GroupMode;
import io.mgtm.group.StateMachine;
import io.mgtm.group.member.GroupLogs;
import io.mgtm.group.member.GroupSettings;
import io.mgtm.group.member.OpenLog;
import io.mgtm.group.net.JGroupsSettings;
import java.nio.file.Path;
import java.util.concurrent.ScheduledExecutorService;

/** Opens a member's log in whatever mode its group runs. */
public final class MemberLogs {
  private MemberLogs() {}

  /**
   * As {@link GroupLogs#open}, in every mode.
   *
   * @param machine what entries mean where one leads
   * @param ordered what proposals mean where all propose
   * @return an {@link OrderedLog} or a {@link io.mgtm.group.member.MemberLog}
   */
  public static OpenLog open(
      GroupMode mode,
      Path folder,
      GroupSettings settings,
      JGroupsSettings network,
      StateMachine machine,
      OrderedMachine ordered,
      ScheduledExecutorService owner,
      OrderedLog.Listener listener) {
    return mode == GroupMode.TOTAL
        ? TotalLog.open(folder, settings, network, ordered, owner, listener)
        : GroupLogs.open(mode, folder, settings, network, machine, owner, listener);
  }
}
