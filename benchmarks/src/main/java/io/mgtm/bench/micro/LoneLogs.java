package io.mgtm.bench.micro;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.StateMachine;
import io.mgtm.group.member.GroupSettings;
import io.mgtm.group.member.LoneLog;
import io.mgtm.group.member.MemberParts;
import io.mgtm.group.storage.LogSettings;
import java.nio.file.Path;
import java.util.concurrent.Executor;

/** Opens logs of nodes without a group whose owner is not a thread of their own. */
final class LoneLogs {
  private LoneLogs() {}

  static LoneLog open(
      Path folder, StateMachine machine, Executor owner, ReplicatedLog.Listener listener) {
    GroupSettings settings =
        GroupSettings.alone(DurabilityMode.CRITICAL, LogSettings.defaults(), 64L << 20);
    // Nothing waits for the time, so nobody is asked to.
    MemberParts parts = MemberParts.open(folder, "log", null);
    return LoneLog.open(parts, settings, machine, owner, listener);
  }
}
