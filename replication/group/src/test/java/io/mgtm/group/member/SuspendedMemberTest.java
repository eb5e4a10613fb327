package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.GroupMode;
import io.mgtm.group.LogException;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.net.Transport;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A machine that is suspended, its monotonic clock with it. */
class SuspendedMemberTest {
  @TempDir private Path folder;
  private final ScheduledExecutorService owner = Executors.newSingleThreadScheduledExecutor();
  private long wallMs = 1_700_000_000_000L;

  @AfterEach
  void stop() {
    owner.shutdownNow();
  }

  @Test
  void aMemberOfModeLazyThatWasSuspendedAnswersNothing() {
    MemberParts own = MemberParts.open(folder, "g1", owner);
    MemberParts parts =
        new MemberParts(
            own.files(),
            own.member(),
            own.hold(),
            own.threads(),
            own.boot(),
            () -> 5_000_000_000L,
            () -> wallMs,
            1);
    try (GroupLog log =
        GroupLog.open(
            GroupMode.LAZY,
            parts,
            GroupSettings.of("g1", List.of("g1", "g2")),
            new TestMember.Words(),
            task -> {}, // the owner is about to let a reply go, and does nothing else before
            new Unheard(),
            MemberListener.NONE,
            new Unconnected())) {
      assertThat(log.mayAnswer()).isTrue();
      wallMs += TimeUnit.HOURS.toMillis(8);
      assertThat(log.mayAnswer()).isFalse();
    }
  }

  private static final class Unheard implements ReplicatedLog.Listener {
    @Override
    public void committed(long index) {}

    @Override
    public void failed(LogException cause) {}
  }

  private static final class Unconnected implements Transport {
    @Override
    public void start(Receiver receiver) {}

    @Override
    public void send(List<String> to, byte[] message) {}

    @Override
    public void flush() {}

    @Override
    public List<String> connected() {
      return List.of();
    }

    @Override
    public void close() {}
  }
}
