package io.mgtm.jni;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/**
 * A native handle whose users are counted, so that native code is never given a freed one.
 *
 * <p>{@link #acquire()} and {@link #release()} bracket every use. {@link #close()} refuses new
 * users at once; the handle is freed when the last user has left. Who forgets {@code close()} is
 * helped by a {@link Cleaner} that watches the owner, and it too waits for the last user: a method
 * of the owner may still be in native code when the JVM sees that nothing refers to the owner.
 *
 * <p>All methods may be called by any thread.
 */
public final class SharedHandle implements AutoCloseable {

  private static final Cleaner CLEANER = Cleaner.create();

  /** The count's bit that says closed; the users are counted below it. */
  private static final int CLOSED = 1 << 30;

  private final State state;
  private final Cleaner.Cleanable cleanable;

  /**
   * Takes charge of a handle.
   *
   * @param owner the Java object whose unreachability frees the handle; {@code free} must not refer
   *     to it
   * @param what the handle's name for messages, such as {@code file /dev/sdb}
   * @param handle what native code gave
   * @param free gives the handle back to native code; called exactly once
   */
  public SharedHandle(Object owner, String what, long handle, LongConsumer free) {
    state = new State(what, handle, free);
    cleanable = CLEANER.register(owner, state);
  }

  /**
   * Enters a use of the handle.
   *
   * @return the handle, valid until {@link #release()}
   * @throws IllegalStateException when it is closed
   */
  public long acquire() {
    if (!tryAcquire()) {
      throw new IllegalStateException(state.what + " is closed");
    }
    return state.handle;
  }

  /** Enters a use of the handle, or answers {@code false} when it is closed. */
  public boolean tryAcquire() {
    int seen;
    do {
      seen = state.users.get();
      if ((seen & CLOSED) != 0) {
        return false;
      }
    } while (!state.users.compareAndSet(seen, seen + 1));
    return true;
  }

  /**
   * Leaves a use; the last one out after {@link #close()} frees the handle.
   *
   * @throws IllegalStateException when there is no use to leave
   */
  public void release() {
    int seen;
    do {
      seen = state.users.get();
      if ((seen & ~CLOSED) == 0) {
        throw new IllegalStateException(state.what + " was released more often than acquired");
      }
    } while (!state.users.compareAndSet(seen, seen - 1));
    if (seen - 1 == CLOSED) {
      cleanable.clean();
      state.freeOnce(); // the cleaner came while there were users, and left it to the last
    }
  }

  /** Whether {@link #close()} was called. */
  public boolean closed() {
    return (state.users.get() & CLOSED) != 0;
  }

  /** Refuses new users, and frees the handle as soon as there is none. Further calls do nothing. */
  @Override
  public void close() {
    int seen;
    do {
      seen = state.users.get();
      if ((seen & CLOSED) != 0) {
        return;
      }
    } while (!state.users.compareAndSet(seen, seen | CLOSED));
    if (seen == 0) {
      cleanable.clean();
    }
  }

  /** What the cleaner runs; it must not refer to the owner. */
  private static final class State implements Runnable {
    private final AtomicInteger users = new AtomicInteger();
    private final AtomicBoolean freed = new AtomicBoolean();
    private final String what;
    private final long handle;
    private final LongConsumer free;

    State(String what, long handle, LongConsumer free) {
      this.what = what;
      this.handle = handle;
      this.free = free;
    }

    @Override
    public void run() {
      int before = users.getAndUpdate(it -> it | CLOSED);
      if ((before & ~CLOSED) == 0) {
        freeOnce();
      }
    }

    void freeOnce() {
      if (freed.compareAndSet(false, true)) {
        free.accept(handle);
      }
    }
  }
}
