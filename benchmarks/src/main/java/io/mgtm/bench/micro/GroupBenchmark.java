package io.mgtm.bench.micro;

import io.mgtm.group.Durability;
import io.mgtm.group.GroupMode;
import io.mgtm.group.LogException;
import io.mgtm.group.Pieces;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.StateMachine;
import io.mgtm.group.StatePicture;
import io.mgtm.group.member.GroupLogs;
import io.mgtm.group.member.GroupSettings;
import io.mgtm.group.member.MemberLog;
import io.mgtm.group.net.JGroupsSettings;
import io.mgtm.local.Trees;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * From append to commit: a batch of entries on a group whose members all live in this process, with
 * their logs on disk and real sockets on loopback. {@code lazy} has two members, the others three.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class GroupBenchmark {
  private static final int PAYLOAD_BYTES = 60;
  private static final int PORT = 17_100;
  private static final int PORT_STEP = 7;

  @Param({"FIFO", "CAUSAL", "LAZY"})
  GroupMode mode;

  @Param({"1", "64"})
  int entries;

  private final List<Member> members = new ArrayList<>();
  private final Semaphore led = new Semaphore(0);
  private final Semaphore committed = new Semaphore(0);
  private final byte[] payload = new byte[PAYLOAD_BYTES];
  private Path folder;
  private Member leader;

  /** A member that keeps no state. */
  private final class Member implements StateMachine, ReplicatedLog.Listener {
    private final ScheduledExecutorService owner = Executors.newSingleThreadScheduledExecutor();
    private MemberLog log;
    private long awaited = Long.MAX_VALUE;

    @Override
    public void apply(long index, ByteBuffer entry) {}

    @Override
    public StatePicture picture() {
      return StatePicture.of(new byte[0]);
    }

    @Override
    public Runnable load(Pieces encoded) {
      return () -> {};
    }

    @Override
    public void leading(long term) {
      leader = this;
      led.release();
    }

    @Override
    public void committed(long index) {
      if (index >= awaited) {
        awaited = Long.MAX_VALUE;
        committed.release();
      }
    }

    @Override
    public void failed(LogException cause) {
      throw cause;
    }

    private void appendAll() {
      for (int i = 0; i < entries; i++) {
        awaited = log.append(ByteBuffer.wrap(payload), Durability.BUFFERED);
      }
    }
  }

  /** Starts the members and waits for a leader. */
  @Setup
  public void start() throws IOException, InterruptedException, ExecutionException {
    folder = Files.createTempDirectory("mgtm-bench");
    int size = mode == GroupMode.LAZY ? 2 : 3;
    List<String> names = new ArrayList<>();
    List<InetSocketAddress> hosts = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      names.add("g" + i);
      hosts.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT + PORT_STEP * i));
    }
    for (int i = 0; i < size; i++) {
      Member member = new Member();
      GroupSettings settings = GroupSettings.of(names.get(i), names);
      JGroupsSettings network = JGroupsSettings.of("bench", hosts.get(i), hosts);
      Path home = folder.resolve(names.get(i));
      members.add(member);
      member
          .owner
          .submit(
              () ->
                  member.log =
                      GroupLogs.open(mode, home, settings, network, member, member.owner, member))
          .get();
    }
    led.acquire();
  }

  /** Appends and waits for the last entry. */
  @Benchmark
  public void appendToCommit() throws InterruptedException {
    leader.owner.execute(leader::appendAll);
    committed.acquire();
  }

  /** Stops the members and removes their folders. */
  @TearDown
  public void stop() throws IOException, InterruptedException, ExecutionException {
    for (Member member : members) {
      member.owner.submit(() -> member.log.close()).get();
      member.owner.shutdown();
    }
    Trees.delete(folder);
  }
}
