package io.mgtm.group.member;

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
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/**
 * A process that owns a log, to be killed: says {@code OPEN count} once the log is open and its
 * content is right, then {@code APPENDED count} and {@code COMMITTED count} as it goes on.
 */
final class LogChild implements ReplicatedLog.Listener {
  static final GroupSettings SETTINGS =
      GroupSettings.alone(
          DurabilityMode.CRITICAL, new LogSettings(64 << 10, 2, 4, 5_000, 100), 200_000);

  private static final List<Durability> DURABILITIES = List.of(Durability.values());
  private static final int BATCH = 20;

  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final ScheduledExecutorService owner = Executors.newSingleThreadScheduledExecutor();
  private final ChainMachine machine = new ChainMachine();
  private final Random random = new Random();
  private LoneLog log;

  /** How many indexes are those of no word of this state machine. */
  private long others;

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
      log = LoneLog.open(folder, SETTINGS, machine, owner, this);
    } catch (LogException e) {
      out.println("REFUSED " + e.getMessage());
      return;
    }
    if (machine.hash() != expectedHash(machine.count())) {
      out.println("WRONG " + machine.count());
      return;
    }
    others = log.lastIndex() - machine.count();
    out.println("OPEN " + machine.count());
    owner.execute(this::appendSome);
  }

  private void appendSome() {
    for (int i = 0; i < BATCH; i++) {
      ByteBuffer payload = payload(machine.count() + 1);
      if (!log.hasRoom(payload.remaining())) {
        out.println("WRONG no room: " + log.noRoomReason());
        return;
      }
      machine.applyOwn(payload);
      log.append(payload, DURABILITIES.get(random.nextInt(DURABILITIES.size())));
    }
    out.println("APPENDED " + machine.count());
    owner.execute(this::appendSome);
  }

  @Override
  public void committed(long index) {
    out.println("COMMITTED " + (index - others));
  }

  @Override
  public void failed(LogException cause) {
    out.println("WRONG " + cause.getMessage());
  }
}
