package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.gtm.wire.xc12.ResultType;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * kill -9 at random moments under load, again and again on the same folder: nothing that a client
 * was promised is lost, and nothing is given twice.
 */
class KillIT {
  private static final int ROUNDS = 2;
  private static final int ROUNDS_LONG = 200;
  private static final int WORKERS = 4;
  private static final int LIFE_REPLIES_MAX = 300;

  @TempDir Path folder;

  private final Witness witness = new Witness();

  @Test
  void nothingAcknowledgedIsLostOrGivenTwice() throws Exception {
    killAgainAndAgain(ROUNDS);
  }

  @Test
  @Tag("long")
  @Timeout(value = 90, unit = TimeUnit.MINUTES)
  void norIsItInManyLives() throws Exception {
    killAgainAndAgain(ROUNDS_LONG);
  }

  private void killAgainAndAgain(int rounds) throws Exception {
    long seed = Long.getLong("seed", System.nanoTime());
    Random random = new Random(seed);
    Path config = folder.resolve("gtm.yaml");
    Files.writeString(
        config,
        """
        log:
          segmentBytes: 1048576
          checkpointBytes: 1048576
        limits:
          nodesMax: 65536
        """);
    long replies = 0;
    for (int round = 0; round <= rounds; round++) {
      try (ServerProcess server =
          ServerProcess.launch(folder, folder.resolve("data"), "--config", config.toString())) {
        server.awaitListening();
        if (round == 0) {
          createSharedSequences(server);
        }
        check(server);
        if (round < rounds) {
          replies += workUntilKilled(server, random, round);
        }
      } catch (AssertionError e) {
        throw new AssertionError("seed %d, round %d: %s".formatted(seed, round, e.getMessage()), e);
      }
    }
    System.out.printf("Killed the GTM %d times, after %d replies%n", rounds, replies);
  }

  private void createSharedSequences(ServerProcess server) throws IOException {
    try (RawClient client = server.backend()) {
      for (int i = 0; i < KillWorker.SEQUENCES; i++) {
        String key = KillWorker.sharedSequence(i);
        witness.askSequence(key);
        client.createSequence(key, 1 + i, 1, Long.MAX_VALUE - 1, 1, false);
        witness.answerSequence(key, true);
      }
    }
  }

  private long workUntilKilled(ServerProcess server, Random random, int round) throws Exception {
    List<KillWorker> workers = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      KillWorker worker = new KillWorker(server, witness, random.nextLong(), "r" + round + "w" + i);
      workers.add(worker);
      threads.add(new Thread(worker));
    }
    threads.forEach(Thread::start);
    int life = 1 + random.nextInt(LIFE_REPLIES_MAX);
    Await.until(
        "replies or a worker's end",
        () -> replies(workers) >= life || threads.stream().anyMatch(thread -> !thread.isAlive()));
    server.kill();
    for (Thread thread : threads) {
      thread.join();
    }
    for (KillWorker worker : workers) {
      if (worker.broken() != null) {
        throw worker.broken();
      }
      assertThat(worker.sawDeath()).isTrue();
    }
    return replies(workers);
  }

  private static long replies(List<KillWorker> workers) {
    return workers.stream().mapToLong(KillWorker::replies).sum();
  }

  private void check(ServerProcess server) throws IOException {
    try (RawClient client = server.backend()) {
      witness.checkGids(transactions(client));
      witness.checkSequences(sequences(client));
      witness.checkNodes(nodes(client));
      int gxid = client.begin();
      witness.nextGxid(gxid);
      client.commit(gxid);
      for (int i = 0; i < KillWorker.SEQUENCES; i++) {
        String key = KillWorker.sharedSequence(i);
        witness.value(key, client.next(key));
      }
    }
  }

  private static ByteBuffer list(RawClient client, MessageType type, ResultType result)
      throws IOException {
    ByteBuffer body = client.call(RequestFrame.command(type), result).body();
    return body.position(Integer.BYTES).slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  private static String text(ByteBuffer in) {
    byte[] bytes = new byte[in.getInt()];
    in.get(bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** Every open transaction by its GID, and how far it is prepared. */
  private static Map<String, Integer> transactions(RawClient client) throws IOException {
    ByteBuffer in = list(client, MessageType.TXN_GXID_LIST, ResultType.TXN_GXID_LIST);
    int count = in.getInt(4 + 44);
    in.position(4 + 48);
    Map<String, Integer> found = new HashMap<>();
    for (int i = 0; i < count; i++) {
      int end = (int) in.getLong() + in.position();
      int state = in.getInt(in.position() + 17);
      in.position(in.position() + 17 + 4 + 4 + 4 + 4 + 1 + 2);
      text(in);
      String gid = text(in);
      assertThat(gid).as("only what is prepared outlives a restart").isNotEmpty();
      found.put(gid, state == 3 ? Witness.PREPARED : Witness.STARTED);
      in.position(end);
    }
    return found;
  }

  private static Map<String, Integer> sequences(RawClient client) throws IOException {
    ByteBuffer in = list(client, MessageType.SEQUENCE_LIST, ResultType.SEQUENCE_LIST);
    int count = Integer.reverseBytes(in.getInt());
    Map<String, Integer> found = new HashMap<>();
    for (int i = 0; i < count; i++) {
      int end = Integer.reverseBytes(in.getInt()) + in.position();
      String key = text(in);
      found.put(key.substring(0, key.length() - 1), Witness.THERE);
      in.position(end);
    }
    return found;
  }

  private static Map<String, Integer> nodes(RawClient client) throws IOException {
    ByteBuffer in = list(client, MessageType.NODE_LIST, ResultType.NODE_LIST);
    int count = Integer.reverseBytes(in.getInt());
    Map<String, Integer> found = new HashMap<>();
    for (int i = 0; i < count; i++) {
      int end = Integer.reverseBytes(in.getInt()) + in.position();
      in.getInt();
      found.put(text(in), Witness.THERE);
      assertThat(in.getInt(end - 4)).as("a node is connected to nobody").isEqualTo(1);
      in.position(end);
    }
    return found;
  }
}
