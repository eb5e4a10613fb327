package io.mgtm.group.member;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.group.Durability;
import io.mgtm.group.GroupMode;
import io.mgtm.group.LogException;
import io.mgtm.group.Pieces;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.StateMachine;
import io.mgtm.group.StatePicture;
import io.mgtm.group.net.JGroupsSettings;
import io.mgtm.group.total.OrderedLog;
import io.mgtm.group.total.OrderedMachine;
import io.mgtm.group.total.TotalLog;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A member with a list of words as its state, on a thread of its own. */
final class TestMember implements AutoCloseable {
  private final EventLoop owner =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()).next();
  private final Path folder;
  private final Words words = new Words();
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private MemberLog log;

  /** In mode total; null else. */
  private OrderedLog ordered;

  private final Deque<Proposed> unproposed = new ArrayDeque<>();
  private final Deque<Proposed> proposed = new ArrayDeque<>();
  private volatile boolean sequencing;
  private volatile boolean serving;
  private volatile boolean leading;
  private volatile LogException failure;
  private volatile long ledTerm;
  private volatile boolean repliesMayBeLost;

  /** Of mode total: a word, or a read when it is null. */
  private static final class Proposed {
    private final String word;
    private final Durability durability;
    private final CompletableFuture<List<String>> done = new CompletableFuture<>();
    private long number;
    private List<String> seen;

    Proposed(String word, Durability durability) {
      this.word = word;
      this.durability = durability;
    }

    ByteBuffer encoded() {
      byte[] bytes = word == null ? new byte[0] : word.getBytes(UTF_8);
      ByteBuffer to = ByteBuffer.allocate(2 + bytes.length);
      return to.put(durability.code()).put((byte) (word == null ? 1 : 0)).put(bytes).flip();
    }
  }

  private record Waiting(long index, long readIndex, CompletableFuture<List<String>> done) {}

  /** Words, one an entry. */
  static final class Words implements StateMachine {
    private final List<String> list = new ArrayList<>();
    private long last;
    private int backwards;
    private int restores;

    @Override
    public void apply(long index, ByteBuffer payload) {
      backwards += index > last ? 0 : 1;
      last = index;
      list.add(UTF_8.decode(payload).toString());
    }

    @Override
    public StatePicture picture() {
      List<String> words = List.copyOf(list);
      return pieces -> pieces.accept(UTF_8.encode(String.join("\n", words)));
    }

    @Override
    public Runnable load(Pieces encoded) {
      String text = UTF_8.decode(encoded.rest()).toString();
      return () -> become(text);
    }

    private void become(String text) {
      restores++;
      last = 0;
      list.clear();
      if (!text.isEmpty()) {
        list.addAll(List.of(text.split("\n", -1)));
      }
    }
  }

  TestMember(GroupMode mode, Path folder, GroupSettings settings, JGroupsSettings network) {
    this.folder = folder;
    if (mode == GroupMode.TOTAL) {
      ordered =
          onOwner(
              () ->
                  TotalLog.open(
                      folder, settings, network, new OrderedWords(), owner, new Places()));
    } else {
      log =
          onOwner(
              () -> GroupLogs.open(mode, folder, settings, network, words, owner, new Replies()));
    }
  }

  private final class OrderedWords implements OrderedMachine {
    @Override
    public Durability apply(long index, long own, ByteBuffer payload) {
      ByteBuffer in = payload.duplicate();
      Durability durability = Durability.of(in.get());
      boolean read = in.get() != 0;
      if (!read) {
        words.apply(index, in);
      }
      for (Proposed next : proposed) {
        if (next.number == own) {
          next.seen = List.copyOf(words.list);
        }
      }
      return durability;
    }

    @Override
    public StatePicture picture() {
      return words.picture();
    }

    @Override
    public Runnable load(Pieces encoded) {
      return words.load(encoded);
    }
  }

  private final class Places implements OrderedLog.Listener {
    @Override
    public void committed(long number) {
      while (!proposed.isEmpty() && proposed.peekFirst().number <= number) {
        Proposed next = proposed.removeFirst();
        next.done.complete(next.seen);
      }
      proposeMore();
    }

    @Override
    public void withdrawn(long fromNumber) {
      proposed.stream().filter(p -> p.number >= fromNumber).forEach(p -> p.seen = null);
    }

    @Override
    public void skipped(long toNumber) {
      proposed.stream()
          .filter(p -> p.number <= toNumber && p.seen == null)
          .forEach(p -> p.done.completeExceptionally(new IllegalStateException("skipped")));
    }

    @Override
    public void serving(boolean now) {
      serving = now;
    }

    @Override
    public void leading(long term) {
      // First, as others look at the term of whoever leads.
      ledTerm = term;
      sequencing = true;
    }

    @Override
    public void following(String leader) {
      sequencing = false;
    }

    @Override
    public void failed(LogException cause) {
      failure = cause;
    }
  }

  private void proposeMore() {
    while (!unproposed.isEmpty() && ordered.canPropose(unproposed.peekFirst().encoded().limit())) {
      Proposed next = unproposed.removeFirst();
      next.number = ordered.propose(next.encoded());
      proposed.addLast(next);
    }
  }

  private CompletableFuture<List<String>> propose(Proposed what) {
    return promised(
        what.done,
        () -> {
          unproposed.addLast(what);
          proposeMore();
        });
  }

  private final class Replies implements ReplicatedLog.Listener {
    @Override
    public void committed(long index) {
      release();
    }

    @Override
    public void confirmed(long readIndex) {
      release();
    }

    @Override
    public void leading(long term, boolean mayBeLost) {
      repliesMayBeLost = mayBeLost;
      ledTerm = term;
      leading = true;
    }

    @Override
    public void following(String leader) {
      waiting.forEach(
          next -> next.done().completeExceptionally(new IllegalStateException("deposed")));
      waiting.clear();
      leading = false;
    }

    @Override
    public void failed(LogException cause) {
      failure = cause;
    }

    private void release() {
      while (!waiting.isEmpty()
          && waiting.peekFirst().index() <= log.committedIndex()
          && waiting.peekFirst().readIndex() <= log.confirmedReadIndex()) {
        waiting.removeFirst().done().complete(List.copyOf(words.list));
      }
    }
  }

  <T> T onOwner(Callable<T> task) {
    try {
      return owner.submit(task).get(180, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Adds a word; done when that is acknowledged. */
  CompletableFuture<List<String>> add(String word, Durability durability) {
    if (ordered != null) {
      return propose(new Proposed(word, durability));
    }
    CompletableFuture<List<String>> done = new CompletableFuture<>();
    return promised(
        done,
        () -> {
          if (!log.isLeading()) {
            done.completeExceptionally(new IllegalStateException("does not lead"));
          } else if (!log.hasRoom(word.length())) {
            done.completeExceptionally(new IllegalStateException(log.noRoomReason()));
          } else {
            words.list.add(word);
            long index = log.append(ByteBuffer.wrap(word.getBytes(UTF_8)), durability);
            waiting.addLast(new Waiting(index, 0, done));
          }
        });
  }

  /** Reads all words, confirmed by a majority. */
  CompletableFuture<List<String>> read() {
    if (ordered != null) {
      return propose(new Proposed(null, Durability.BUFFERED));
    }
    CompletableFuture<List<String>> done = new CompletableFuture<>();
    return promised(
        done,
        () -> {
          if (log.isLeading()) {
            waiting.addLast(new Waiting(log.lastIndex(), log.confirm(), done));
          } else {
            done.completeExceptionally(new IllegalStateException("does not lead"));
          }
        });
  }

  /** Runs a task that fulfils a promise, which is broken when the member is dead already. */
  private CompletableFuture<List<String>> promised(
      CompletableFuture<List<String>> done, Runnable task) {
    try {
      owner.execute(task);
    } catch (RejectedExecutionException e) {
      done.completeExceptionally(e);
    }
    return done;
  }

  /** How often an entry came whose index was not above the one before. */
  int indexesOutOfOrder() {
    return onOwner(() -> words.backwards);
  }

  /** How often its state was replaced by a checkpoint. */
  int restores() {
    return onOwner(() -> words.restores);
  }

  /** The words of this member alone. */
  List<String> local() {
    return onOwner(() -> List.copyOf(words.list));
  }

  boolean isLeading() {
    return ordered == null ? leading : sequencing && serving;
  }

  /** In mode total: whether what it proposes comes back. */
  boolean isServing() {
    return serving;
  }

  LogException failure() {
    return failure;
  }

  GroupStatus status() {
    return onOwner(() -> log().status());
  }

  /** The term that it led in last. */
  long ledTerm() {
    return ledTerm;
  }

  boolean repliesMayBeLost() {
    return repliesMayBeLost;
  }

  OpenLog log() {
    return ordered == null ? log : ordered;
  }

  /**
   * Dies as a killed process does: it hears and says nothing more, and its folder is what it was at
   * that moment.
   */
  void kill() {
    onOwner(
        () -> {
          // Nothing happens to the member while its owner thread is here.
          Path copy = folder.resolveSibling(folder.getFileName() + "-killed");
          TestFolders.copy(folder, copy);
          closeLog();
          TestFolders.delete(folder);
          Files.move(copy, folder);
          return null;
        });
    owner.parent().shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private void closeLog() {
    log().close();
  }

  @Override
  public void close() {
    onOwner(
        () -> {
          closeLog();
          return null;
        });
    owner.parent().shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
