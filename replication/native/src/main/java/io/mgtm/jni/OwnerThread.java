package io.mgtm.jni;

import java.util.concurrent.atomic.AtomicReference;

/**
 * The one thread that may use something: the first that does, for good. A dead owner can be
 * inherited from, which is how what it left open is closed.
 */
public final class OwnerThread {

  private final String what;
  private final AtomicReference<Thread> owner = new AtomicReference<>();

  /**
   * Nobody owns it yet.
   *
   * @param what the owned thing's name for messages
   */
  public OwnerThread(String what) {
    this.what = what;
  }

  /**
   * Makes the calling thread the owner if there is none.
   *
   * @throws IllegalStateException when another thread is
   */
  public void enter() {
    Thread me = Thread.currentThread();
    Thread now = owner.get();
    if (now != me && (now != null || !owner.compareAndSet(null, me))) {
      throw foreign(owner.get());
    }
  }

  /**
   * Makes the calling thread the owner if there is none or it has ended.
   *
   * @throws IllegalStateException when another thread is and lives
   */
  public void inherit() {
    Thread me = Thread.currentThread();
    Thread now = owner.get();
    if (now != me && ((now != null && now.isAlive()) || !owner.compareAndSet(now, me))) {
      throw foreign(owner.get());
    }
  }

  private IllegalStateException foreign(Thread thread) {
    return new IllegalStateException(
        what
            + " belongs to thread "
            + thread.getName()
            + ", not to "
            + Thread.currentThread().getName());
  }
}
