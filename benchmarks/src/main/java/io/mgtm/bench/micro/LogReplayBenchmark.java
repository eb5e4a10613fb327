package io.mgtm.bench.micro;

import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.Pieces;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.StateMachine;
import io.mgtm.group.StatePicture;
import io.mgtm.group.member.LoneLog;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandCodec;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.command.UnknownCommandException;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.local.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A start after a crash: the log is opened and checked, and its commands are read and applied to
 * the GTM's state. An operation is one transaction, begin and commit; an entry has eight.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LogReplayBenchmark {
  private static final int ENTRIES = 12_500;
  private static final int OF_ENTRY = 8;
  private static final int TRANSACTIONS = ENTRIES * OF_ENTRY;
  private static final int ENTRY_BYTES_MAX = 1_024;

  private Path template;
  private Path copy;
  private Member member;

  /** A member of a group of one. */
  private static final class Member implements StateMachine, ReplicatedLog.Listener {
    final GtmState state = new GtmState(10_000);
    final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    final LoneLog log;

    Member(Path folder) {
      log = LoneLogs.open(folder, this, tasks::add, this);
    }

    void runTasks() {
      for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
        task.run();
      }
    }

    @Override
    public void apply(long index, ByteBuffer entry) {
      state.beginEntry(index);
      try {
        while (entry.hasRemaining()) {
          state.apply(CommandCodec.decodeLogged(entry));
        }
      } catch (UnknownCommandException e) {
        throw new IllegalStateException(e);
      }
      state.entryDone();
    }

    @Override
    public StatePicture picture() {
      return StatePicture.of(new byte[0]);
    }

    @Override
    public Runnable load(Pieces encoded) {
      throw new IllegalStateException("the log was to be replayed, and there is a checkpoint");
    }

    @Override
    public void committed(long index) {}

    @Override
    public void failed(LogException cause) {
      throw cause;
    }
  }

  /** Writes a log, and copies it before it is closed in order. */
  @Setup
  public void write() throws IOException {
    Path written = Files.createTempDirectory("mgtm-bench-log");
    template = Files.createTempDirectory("mgtm-bench-log");
    Member writer = new Member(written);
    ByteBuffer entry = ByteBuffer.allocate(ENTRY_BYTES_MAX);
    for (int i = 0; i < ENTRIES; i++) {
      entry.clear();
      for (int j = 0; j < OF_ENTRY; j++) {
        int gxid = Requests.begin(writer.state);
        Command commit = new TransactionCommand.End(TransactionRef.gxid(gxid), Outcome.COMMIT);
        writer.state.apply(commit);
        CommandCodec.encodeLogged(Requests.BEGIN, entry);
        CommandCodec.encodeLogged(commit, entry);
      }
      entry.flip();
      while (!writer.log.hasRoom(entry.remaining())) {
        writer.runTasks();
      }
      writer.log.append(entry, Durability.BUFFERED);
      writer.runTasks();
    }
    copy(written, template);
    writer.log.close();
    Trees.delete(written);
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.list(from)) {
      files.forEach(
          file -> {
            try {
              Files.copy(file, to.resolve(file.getFileName()));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }

  /** A folder as a crash leaves it. */
  @Setup(Level.Invocation)
  public void crash() throws IOException {
    copy = Files.createTempDirectory("mgtm-bench-log");
    copy(template, copy);
  }

  /** The start. */
  @Benchmark
  @OperationsPerInvocation(TRANSACTIONS)
  public long replay() {
    member = new Member(copy);
    return member.log.lastIndex();
  }

  /** Checks that all was applied. */
  @TearDown(Level.Invocation)
  public void stop() throws IOException {
    int next = Requests.begin(member.state);
    member.log.close();
    Trees.delete(copy);
    if (next != 10_000 + TRANSACTIONS) {
      throw new IllegalStateException("after the replay the next gxid is " + next);
    }
  }

  /** Leaves no file behind. */
  @TearDown
  public void remove() throws IOException {
    Trees.delete(template);
  }
}
