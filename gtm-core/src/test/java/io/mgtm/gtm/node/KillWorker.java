package io.mgtm.gtm.node;

import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.gtm.wire.xc12.ResultType;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Works over one connection until the server dies, and tells a witness what it was promised. */
final class KillWorker implements Runnable {
  static final int SEQUENCES = 4;
  private static final int DATANODE = 4;

  private final ServerProcess server;
  private final Witness witness;
  private final Random random;
  private final String prefix;
  private final Deque<String> nodes = new ArrayDeque<>();
  private final Deque<String> sequences = new ArrayDeque<>();
  private RawClient client;
  private int names;
  private volatile AssertionError broken;
  private final AtomicLong replies = new AtomicLong();
  private volatile boolean dead;

  KillWorker(ServerProcess server, Witness witness, long seed, String prefix) {
    this.server = server;
    this.witness = witness;
    this.random = new Random(seed);
    this.prefix = prefix;
  }

  /** The promise that was broken, or null. */
  AssertionError broken() {
    return broken;
  }

  /** Whether it worked until the server was dead. */
  boolean sawDeath() {
    return dead;
  }

  /** How many there were; to be asked when it has ended. */
  long replies() {
    return replies.get();
  }

  static String sharedSequence(int i) {
    return "db.public.shared" + i;
  }

  @Override
  public void run() {
    try (RawClient connected = server.backend()) {
      client = connected;
      while (true) {
        act();
        replies.incrementAndGet();
      }
    } catch (IOException e) {
      dead = true;
    } catch (AssertionError e) {
      broken = e;
    }
  }

  private void act() throws IOException {
    switch (random.nextInt(10)) {
      case 0, 1, 2 -> {
        int gxid = client.begin();
        witness.gxid(gxid);
        client.commit(gxid);
      }
      case 3, 4, 5 -> draw(sharedSequence(random.nextInt(SEQUENCES)));
      case 6, 7 -> prepareAndCommit();
      case 8 -> node();
      default -> sequence();
    }
  }

  private void draw(String key) throws IOException {
    witness.value(key, client.next(key));
  }

  private void prepareAndCommit() throws IOException {
    int gxid = client.begin();
    witness.gxid(gxid);
    String gid = prefix + "gid" + names++;
    witness.askGid(gid, Witness.STARTED);
    client.call(
        RequestFrame.command(MessageType.TXN_START_PREPARED).gxid(gxid).string(gid).string("dn1"),
        ResultType.TXN_START_PREPARED);
    witness.answerGid(gid, true);
    witness.askGid(gid, Witness.PREPARED);
    client.call(RequestFrame.command(MessageType.TXN_PREPARE).gxid(gxid), ResultType.TXN_PREPARE);
    witness.answerGid(gid, true);
    if (random.nextInt(10) > 0) {
      int committing = client.begin();
      witness.gxid(committing);
      witness.askGidEnd(gid);
      client.call(
          RequestFrame.command(MessageType.TXN_COMMIT_PREPARED).gxid(gxid).gxid(committing),
          ResultType.TXN_COMMIT_PREPARED);
      witness.answerGid(gid, true);
    }
  }

  private void node() throws IOException {
    if (nodes.size() > 2) {
      String name = nodes.removeFirst();
      witness.askNodeEnd(name);
      client.call(
          RequestFrame.command(MessageType.NODE_UNREGISTER).le32(DATANODE).string(name),
          ResultType.NODE_UNREGISTER);
      witness.answerNode(name, true);
      return;
    }
    String name = prefix + "n" + names++;
    witness.askNode(name);
    client.call(
        RequestFrame.command(MessageType.NODE_REGISTER)
            .le32(DATANODE)
            .string(name)
            .string("h")
            .le32(1)
            .string("")
            .string("/d")
            .le32(0),
        ResultType.NODE_REGISTER);
    witness.answerNode(name, true);
    nodes.addLast(name);
  }

  private void sequence() throws IOException {
    if (sequences.size() > 2) {
      String key = sequences.removeFirst();
      witness.askSequenceEnd(key);
      client.call(
          RequestFrame.command(MessageType.SEQUENCE_CLOSE).key(key).le32(0),
          ResultType.SEQUENCE_CLOSE);
      witness.answerSequence(key, true);
      return;
    }
    String key = prefix + "db.s" + names++;
    witness.askSequence(key);
    client.createSequence(key, 1, 1, 1_000_000, 1, false);
    witness.answerSequence(key, true);
    sequences.addLast(key);
    draw(key);
  }
}
