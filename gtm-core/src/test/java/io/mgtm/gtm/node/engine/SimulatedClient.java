package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.BackupCommand;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.NodeCommand;
import io.mgtm.gtm.command.NodeCommand.NodeAddress;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginItem;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.node.Witness;
import io.mgtm.gtm.wire.xc12.ListReply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/** A client that does one thing at a time, or a few at once. */
final class SimulatedClient implements Client {
  private static final int GROUP = 4_096;

  private final CrashSchedule world;
  final long session;
  final Deque<Consumer<ByteBuf>> waiting = new ArrayDeque<>();
  private final Deque<Integer> openGxids = new ArrayDeque<>();
  private final Deque<Integer> handles = new ArrayDeque<>();

  /** What is to be asked once an answer has come. */
  private final Deque<Consumer<Batch>> followUp = new ArrayDeque<>();

  private final Deque<String> gids = new ArrayDeque<>();
  boolean open;

  SimulatedClient(CrashSchedule world, long session) {
    this.world = world;
    this.session = session;
  }

  void act() {
    if (!open || !waiting.isEmpty()) {
      return;
    }
    Batch batch = new Batch();
    int commands = 1 + world.random.nextInt(3);
    for (int i = 0; i < commands; i++) {
      add(batch);
    }
    while (!batch.isDone()) {
      open = world.engine.process(this, batch);
    }
  }

  private void request(Batch batch, Command command, Consumer<ByteBuf> onReply) {
    batch.readBytes += 64;
    batch.command(null, Command.NO_BACKEND, command);
    waiting.addLast(onReply);
  }

  private void add(Batch batch) {
    if (world.quiet) {
      draw(batch);
      return;
    }
    switch (world.random.nextInt(world.large ? 12 : 11)) {
      case 0, 1 -> begin(batch);
      case 2 -> end(batch);
      case 3 -> snapshot(batch);
      case 4 -> prepare(batch);
      case 5 -> endPrepared(batch);
      case 6 -> sequenceLife(batch);
      case 7, 8 -> draw(batch);
      case 9 -> node(batch);
      case 10 -> barrier(batch);
      default -> group(batch);
    }
  }

  private void begin(Batch batch) {
    BeginKind kind = BeginKind.ofCode(world.random.nextInt(4) % 3);
    Command begin =
        new TransactionCommand.Begin(
            session, Command.NO_BACKEND, Isolation.READ_COMMITTED, false, kind);
    request(
        batch,
        begin,
        reply -> {
          if (isDone(reply) && kind != BeginKind.HANDLE) {
            int gxid = reply.getIntLE(9);
            world.witness.nextGxid(gxid);
            openGxids.addLast(gxid);
          } else if (isDone(reply)) {
            handles.addLast(reply.getIntLE(9));
          }
        });
  }

  private void end(Batch batch) {
    Integer gxid = openGxids.pollFirst();
    if (gxid != null) {
      Outcome outcome = world.random.nextBoolean() ? Outcome.COMMIT : Outcome.ROLLBACK;
      request(batch, new TransactionCommand.End(TransactionRef.gxid(gxid), outcome), r -> {});
    }
  }

  private void snapshot(Batch batch) {
    Integer gxid = openGxids.peekLast();
    Integer handle = handles.pollFirst();
    if (handle != null) {
      TransactionRef ref = TransactionRef.handle(handle);
      request(
          batch,
          new SnapshotCommand.AssignGxidAndGetSnapshot(ref),
          reply -> {
            if (isDone(reply)) {
              world.witness.nextGxid(reply.getIntLE(13));
            }
          });
    } else if (gxid != null) {
      request(batch, new SnapshotCommand.GetSnapshot(TransactionRef.gxid(gxid)), r -> {});
    }
  }

  private void prepare(Batch batch) {
    Integer gxid = openGxids.pollFirst();
    if (gxid == null) {
      return;
    }
    TransactionRef ref = TransactionRef.gxid(gxid);
    String gid = "gid" + world.names++;
    world.witness.askGid(gid, Witness.STARTED);
    request(
        batch,
        new TransactionCommand.StartPrepare(ref, gid, "dn"),
        reply -> {
          boolean done = isDone(reply);
          world.witness.answerGid(gid, done);
          if (done) {
            world.witness.askGid(gid, Witness.PREPARED);
            followUp.addLast(
                b ->
                    request(
                        b,
                        new TransactionCommand.Prepare(ref),
                        prepared -> {
                          world.witness.answerGid(gid, isDone(prepared));
                          gids.addLast(gid + " " + gxid);
                        }));
          }
        });
  }

  private void endPrepared(Batch batch) {
    Consumer<Batch> next = followUp.pollFirst();
    if (next != null) {
      next.accept(batch);
      return;
    }
    String prepared = gids.pollFirst();
    if (prepared == null) {
      return;
    }
    String gid = prepared.substring(0, prepared.indexOf(' '));
    int gxid = Integer.parseInt(prepared.substring(gid.length() + 1));
    world.witness.askGidEnd(gid);
    request(
        batch,
        new TransactionCommand.CommitPrepared(TransactionRef.gxid(gxid), TransactionRef.gxid(0)),
        reply -> {
          boolean done = isDone(reply);
          world.witness.answerGid(gid, done);
        });
  }

  private void sequenceLife(Batch batch) {
    if (world.sequences.size() > 3 && world.random.nextInt(3) == 0) {
      String key = world.sequences.remove(world.random.nextInt(world.sequences.size()));
      world.witness.askSequenceEnd(key);
      request(
          batch,
          new SequenceCommand.Close(key),
          reply -> world.witness.answerSequence(key, isDone(reply)));
    } else if (world.sequences.size() < 4) {
      String key = "d.s" + world.names++ + "\0";
      long increment =
          world.random.nextBoolean() ? 1 + world.random.nextInt(3) : -1 - world.random.nextInt(3);
      long span = world.random.nextBoolean() ? 100 : 1_000_000;
      world.witness.askSequence(key);
      request(
          batch,
          new SequenceCommand.Init(
              key, increment, -span, span, increment > 0 ? -span : span, false),
          reply -> {
            world.witness.answerSequence(key, isDone(reply));
            if (isDone(reply)) {
              world.sequences.add(key);
            }
          });
    }
  }

  private void draw(Batch batch) {
    if (world.sequences.isEmpty()) {
      return;
    }
    String key = world.sequences.get(world.random.nextInt(world.sequences.size()));
    int draws = world.random.nextInt(world.quiet ? 40 : 12);
    for (int i = 0; i < draws; i++) {
      request(
          batch,
          new SequenceCommand.NextValue(key),
          reply -> {
            if (isDone(reply)) {
              world.witness.value(key, reply.getLongLE(9 + 4 + key.length()));
            }
          });
    }
  }

  private void node(Batch batch) {
    if (!world.nodes.isEmpty() && world.random.nextBoolean()) {
      String name = world.nodes.remove(0);
      world.witness.askNodeEnd(name);
      request(
          batch,
          new NodeCommand.Unregister(NodeType.DATANODE, name),
          reply -> world.witness.answerNode(name, isDone(reply)));
    } else {
      String name = "n" + world.names++;
      world.witness.askNode(name);
      request(
          batch,
          new NodeCommand.Register(
              session, new NodeAddress(NodeType.DATANODE, name, "", "h", 1, "/d")),
          reply -> {
            world.witness.answerNode(name, isDone(reply));
            if (isDone(reply)) {
              world.nodes.add(name);
            }
          });
    }
  }

  private void barrier(Batch batch) {
    String id = "b" + world.names++;
    request(
        batch,
        new BackupCommand.Barrier(id),
        reply -> {
          if (isDone(reply)) {
            world.witness.barrier(id);
          }
        });
  }

  /** Many gxids at once, so that their reservation is raised. */
  private void group(Batch batch) {
    BeginItem item = new BeginItem((short) 1, Isolation.READ_COMMITTED, false);
    Command begin = new TransactionCommand.BeginMany(session, Collections.nCopies(GROUP, item));
    batch.readBytes += 7 * GROUP;
    request(
        batch,
        begin,
        reply -> {
          if (isDone(reply)) {
            int gxid = reply.getIntLE(13);
            List<TransactionRef> refs = new ArrayList<>();
            while (refs.size() < GROUP) {
              world.witness.nextGxid(gxid);
              refs.add(TransactionRef.gxid(gxid));
              gxid = gxid == -1 ? 3 : gxid + 1;
            }
            followUp.addFirst(
                b -> {
                  b.readBytes += 5 * GROUP;
                  request(b, new TransactionCommand.EndMany(refs, Outcome.COMMIT), r -> {});
                });
          }
        });
  }

  private static boolean isDone(ByteBuf reply) {
    return reply.getByte(0) == 'S';
  }

  @Override
  public long session() {
    return session;
  }

  @Override
  public boolean proxied() {
    return false;
  }

  @Override
  public ByteBuf newBuffer() {
    return Unpooled.buffer();
  }

  @Override
  public void send(ByteBuf replies, boolean close) {
    while (replies.isReadable()) {
      int bytes = 1 + replies.getInt(replies.readerIndex() + 1);
      waiting.removeFirst().accept(replies.readSlice(bytes).slice());
    }
    open &= !close;
    replies.release();
  }

  @Override
  public void listBegins() {
    throw new AssertionError("no long list was asked for");
  }

  @Override
  public void list(ListReply list, Runnable done) {
    throw new AssertionError("no long list was asked for");
  }

  @Override
  public void held(int bytes) {}
}
