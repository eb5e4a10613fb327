package io.mgtm.bench.micro;

import io.mgtm.flash.AlignedBuffer;
import io.mgtm.flash.BufferPool;
import io.mgtm.flash.DirectIo;
import io.mgtm.flash.Flash;
import io.mgtm.flash.FlashEngine;
import io.mgtm.flash.FlashException;
import io.mgtm.flash.FlashFile;
import io.mgtm.flash.FlashOptions;
import io.mgtm.flash.FlashQueue;
import io.mgtm.jni.Memory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What JNI and io_uring cost: an empty call, and writes of 4 KiB into the page cache at random, one
 * at a time and 32 at once, beside {@link FileChannel}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FlashBenchmark {
  private static final int BLOCK_BYTES = 4096;
  private static final int BLOCKS = 16_384;
  private static final int DEPTH = 32;
  private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(10);

  private Path path;
  private BufferPool pool;
  private FlashFile file;
  private FlashQueue queue;
  private AlignedBuffer[] buffers;
  private FileChannel channel;
  private ByteBuffer plain;

  /** A file of 64 MiB, written once. */
  @Setup
  public void open() throws IOException {
    path = Files.createTempFile("mgtm-bench-flash", ".disk");
    Files.write(path, new byte[BLOCKS * BLOCK_BYTES]);
    pool = BufferPool.of(DEPTH, BLOCK_BYTES);
    file =
        Flash.open(
            path,
            FlashOptions.readWrite().withDirect(DirectIo.OFF).withEngine(FlashEngine.IO_URING));
    queue = Flash.openQueue(DEPTH, List.of(file), List.of(pool));
    buffers = new AlignedBuffer[DEPTH];
    for (int i = 0; i < DEPTH; i++) {
      buffers[i] = pool.tryAcquire();
    }
    channel = FileChannel.open(path, StandardOpenOption.WRITE);
    plain = ByteBuffer.allocateDirect(BLOCK_BYTES);
  }

  /** Leaves no file behind. */
  @TearDown
  public void close() throws IOException {
    queue.close();
    for (AlignedBuffer buffer : buffers) {
      buffer.release();
    }
    file.close();
    pool.close();
    channel.close();
    Files.delete(path);
  }

  private static long somewhere() {
    return (long) ThreadLocalRandom.current().nextInt(BLOCKS) * BLOCK_BYTES;
  }

  private static void check(long tag, int bytes, FlashException error) {
    if (error != null || bytes != BLOCK_BYTES) {
      throw new IllegalStateException("write " + tag + " wrote " + bytes, error);
    }
  }

  /** A call that does nothing. */
  @Benchmark
  public int emptyCall() {
    return Memory.abi();
  }

  /** One write after the other by io_uring. */
  @Benchmark
  public int uringDepth1() throws IOException {
    queue.write(file, 0, somewhere(), buffers[0], 0, BLOCK_BYTES, false);
    return queue.await(1, WAIT_NS, FlashBenchmark::check);
  }

  /** 32 writes handed over at once by io_uring; the figure is for one. */
  @Benchmark
  @OperationsPerInvocation(DEPTH)
  public int uringDepth32() throws IOException {
    for (int i = 0; i < DEPTH; i++) {
      queue.write(file, i, somewhere(), buffers[i], 0, BLOCK_BYTES, false);
    }
    return queue.await(DEPTH, WAIT_NS, FlashBenchmark::check);
  }

  /** One write after the other by Java's own channel. */
  @Benchmark
  public int fileChannel() throws IOException {
    return channel.write(plain.clear(), somewhere());
  }
}
