package io.mgtm.group.local;

import io.mgtm.group.Durability;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.LogException;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.storage.LogSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A process that owns a log, to be killed: says {@code OPEN last clean} once the log is open and
 * its content is right, then {@code APPENDED last} and {@code COMMITTED index} as it goes on.
 */
final class LogChild implements ReplicatedLog.Listener {
  static final LocalLogSettings SETTINGS =
      new LocalLogSettings(
          DurabilityMode.CRITICAL, new LogSettings(64 << 10, 2, 4, 5_000, 100), 200_000, 1_000);

  private static final List<Durability> DURABILITIES = List.of(Durability.values());
  private static final int BATCH = 20;

  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final ExecutorService owner = Executors.newSingleThreadExecutor();
  private final ChainMachine machine = new ChainMachine();
  private final Random random = new Random();
  private LocalLog log;

  /** The bytes of the entry of an index, always the same. */
  static ByteBuffer payload(long index) {
    ByteBuffer payload = ByteBuffer.allocate(8 + (int) (index * 7919 % 150));
    payload.putLong(index);
    while (payload.hasRemaining()) {
      payload.put((byte) (index + payload.position()));
    }
    return payload.flip();
  }

  static long expectedHash(long last) {
    long hash = 0;
    for (long index = 1; index <= last; index++) {
      hash = ChainMachine.chain(hash, payload(index));
    }
    return hash;
  }

  public static void main(String[] args) throws IOException {
    LogChild child = new LogChild();
    child.owner.execute(() -> child.open(Path.of(args[0])));
    // Never stays behind: ends with its parent, which holds the other end of this pipe.
    while (System.in.read() >= 0) {
      // nothing is said on it
    }
    Runtime.getRuntime().halt(0);
  }

  private void open(Path folder) {
    try {
      log = LocalLog.open(folder, SETTINGS, machine, owner, this);
    } catch (LogException e) {
      out.println("REFUSED " + e.getMessage());
      return;
    }
    if (machine.count() != log.lastIndex() || machine.hash() != expectedHash(log.lastIndex())) {
      out.println("WRONG " + log.lastIndex());
      return;
    }
    out.println("OPEN " + log.lastIndex() + " " + !log.recoveredUncleanly());
    owner.execute(this::appendSome);
  }

  private void appendSome() {
    for (int i = 0; i < BATCH; i++) {
      ByteBuffer payload = payload(log.lastIndex() + 1);
      if (!log.hasRoom(payload.remaining())) {
        out.println("WRONG no room: " + log.noRoomReason());
        return;
      }
      machine.applyOwn(payload);
      log.append(payload, DURABILITIES.get(random.nextInt(DURABILITIES.size())));
    }
    out.println("APPENDED " + log.lastIndex());
    owner.execute(this::appendSome);
  }

  @Override
  public void committed(long index) {
    out.println("COMMITTED " + index);
  }

  @Override
  public void failed(LogException cause) {
    out.println("WRONG " + cause.getMessage());
  }
}
