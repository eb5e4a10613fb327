package io.mgtm.bench.micro;

import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.Pieces;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.StateMachine;
import io.mgtm.group.StatePicture;
import io.mgtm.group.member.LoneLog;
import io.mgtm.local.Trees;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedQueue;
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

/** Appending a buffered entry to the log on disk, checkpoints included. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LogBenchmark implements StateMachine, ReplicatedLog.Listener {
  @Param({"24", "256"})
  int bytes;

  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private Path folder;
  private LoneLog log;
  private ByteBuffer payload;

  /** Opens a log in a folder of its own; the benchmark's thread owns it. */
  @Setup
  public void open() throws IOException {
    folder = Files.createTempDirectory("mgtm-bench-log");
    log = LoneLogs.open(folder, this, tasks::add, this);
    payload = ByteBuffer.allocateDirect(bytes);
  }

  /** One entry, and what the log wants done on its owner's thread. */
  @Benchmark
  public long append() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
    while (!log.hasRoom(bytes)) {
      Thread.onSpinWait();
    }
    return log.append(payload, Durability.BUFFERED);
  }

  /** Leaves no file behind. */
  @TearDown
  public void close() throws IOException {
    log.close();
    Trees.delete(folder);
  }

  @Override
  public void apply(long index, ByteBuffer entry) {}

  @Override
  public StatePicture picture() {
    return StatePicture.of(new byte[64]);
  }

  @Override
  public Runnable load(Pieces encoded) {
    return () -> {};
  }

  @Override
  public void committed(long index) {}

  @Override
  public void failed(LogException cause) {
    throw cause;
  }
}
