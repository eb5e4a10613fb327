package io.mgtm.bench.volume;

import io.mgtm.bench.report.Spread;
import io.mgtm.flash.AlignedBuffer;
import io.mgtm.flash.BufferPool;
import io.mgtm.flash.DirectIo;
import io.mgtm.flash.Flash;
import io.mgtm.flash.FlashCompletion;
import io.mgtm.flash.FlashEngine;
import io.mgtm.flash.FlashException;
import io.mgtm.flash.FlashFile;
import io.mgtm.flash.FlashOptions;
import io.mgtm.flash.FlashQueue;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The flash library against fio's io_uring engine: 4 KiB writes at random into the page cache of
 * one file, with registered buffers and file on both sides, in turns.
 */
final class FlashBench {
  private static final int BLOCK_BYTES = 4096;
  private static final int BLOCKS = 65_536;
  private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(10);

  private final Fio fio;
  private final Path file;
  private final int rounds;
  private final double seconds;

  FlashBench(Fio fio, Path folder, int rounds, double seconds) {
    this.fio = fio;
    this.file = folder.resolve("flash");
    this.rounds = rounds;
    this.seconds = seconds;
  }

  /** Prints the table. */
  void run(PrintWriter out) throws IOException, InterruptedException {
    if (!Flash.available().usable()) {
      out.println("flash SKIPPED: " + Flash.available().reason());
      return;
    }
    Files.write(file, new byte[BLOCKS * BLOCK_BYTES]);
    out.println("| 4 KiB writes by io_uring | depth | flash /s | fio /s | ratio |");
    out.println("|---|--:|--:|--:|--:|");
    for (int depth : new int[] {1, 32}) {
      List<Double> ours = new ArrayList<>();
      List<Double> theirs = new ArrayList<>();
      var unused = new Run(depth, 1).perSecond();
      for (int round = 0; round < rounds; round++) {
        ours.add(new Run(depth, seconds).perSecond());
        theirs.add(fio.ringWrites(file, depth).perSecond());
      }
      double here = Spread.of(ours, it -> it).median();
      double there = Spread.of(theirs, it -> it).median();
      out.printf(
          Locale.ROOT,
          "| page cache | %d | %,.0f | %,.0f | **%.2f** |%n",
          depth,
          here,
          there,
          here / there);
      out.flush();
    }
    out.println();
    out.flush();
  }

  /** One run: each completed write begins the next. */
  private final class Run implements FlashCompletion {
    private final SplittableRandom random = new SplittableRandom(1);
    private final int depth;
    private final long untilNs;
    private AlignedBuffer[] buffers;
    private FlashFile target;
    private FlashQueue queue;
    private long done;
    private boolean over;

    Run(int depth, double seconds) {
      this.depth = depth;
      this.untilNs = System.nanoTime() + (long) (seconds * 1e9);
    }

    double perSecond() throws IOException {
      FlashOptions options =
          FlashOptions.readWrite().withDirect(DirectIo.OFF).withEngine(FlashEngine.IO_URING);
      buffers = new AlignedBuffer[depth];
      try (BufferPool pool = BufferPool.of(depth, BLOCK_BYTES);
          FlashFile opened = Flash.open(file, options);
          FlashQueue ring = Flash.openQueue(depth, List.of(opened), List.of(pool))) {
        target = opened;
        queue = ring;
        long begun = System.nanoTime();
        for (int i = 0; i < depth; i++) {
          buffers[i] = pool.tryAcquire();
          begin(i);
        }
        while (!over) {
          var unused = ring.await(1, WAIT_NS, this);
          over = System.nanoTime() > untilNs;
        }
        double figure = done * 1e9 / (System.nanoTime() - begun);
        while (ring.inFlight() > 0) {
          var unused = ring.await(ring.inFlight(), WAIT_NS, this);
        }
        for (AlignedBuffer buffer : buffers) {
          buffer.release();
        }
        return figure;
      }
    }

    private void begin(int slot) {
      long offset = (long) random.nextInt(BLOCKS) * BLOCK_BYTES;
      queue.write(target, slot, offset, buffers[slot], 0, BLOCK_BYTES, false);
    }

    @Override
    public void completed(long tag, int bytes, FlashException error) {
      if (error != null || bytes != BLOCK_BYTES) {
        throw new IllegalStateException("write " + tag + " wrote " + bytes + " bytes", error);
      }
      done++;
      if (!over) {
        begin((int) tag);
      }
    }
  }
}
