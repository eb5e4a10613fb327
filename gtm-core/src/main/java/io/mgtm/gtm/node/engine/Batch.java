package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RequestHandler;
import io.mgtm.gtm.wire.xc12.Startup;
import java.util.ArrayList;
import java.util.List;

/**
 * What one read of a connection brought, in its order: one hand-over from the decoding thread to
 * the owner.
 */
public final class Batch implements RequestHandler {

  /** What is to be done. */
  enum Kind {
    STARTUP,
    COMMAND,
    /** Answer with an error. */
    REFUSE,
    /** Answer with an error, and close. */
    FAIL,
    /** The client leaves. */
    TERMINATE
  }

  /** One thing to do; fields that its kind does not need are null. */
  record Item(
      Kind kind,
      Startup startup,
      MessageType type,
      short backend,
      Command command,
      String message,
      String hint) {}

  private final List<Item> items = new ArrayList<>(4);

  /** Items before this one are done, or being done. */
  private int next;

  /** When the read happened, by System.nanoTime. */
  public long readNanos;

  /** Bytes of the frames in here, a bound for what the commands take in the log. */
  public int readBytes;

  List<Item> items() {
    return items;
  }

  public boolean isEmpty() {
    return items.isEmpty();
  }

  /** How many items have been taken. */
  int taken() {
    return next;
  }

  /** The next item that is to be done. */
  Item take() {
    return items.get(next++);
  }

  public boolean isDone() {
    return next == items.size();
  }

  /** Nothing after what was taken is done. */
  void dropRest() {
    items.subList(next, items.size()).clear();
  }

  public void clear() {
    items.clear();
    next = 0;
  }

  /** What is in here as a batch of its own; this one is empty after it. */
  public Batch handOver() {
    Batch batch = new Batch();
    batch.items.addAll(items);
    batch.next = next;
    batch.readNanos = readNanos;
    batch.readBytes = readBytes;
    clear();
    return batch;
  }

  @Override
  public void startup(Startup startup) {
    items.add(new Item(Kind.STARTUP, startup, null, Command.NO_BACKEND, null, null, null));
  }

  @Override
  public void command(MessageType type, short backend, Command command) {
    items.add(new Item(Kind.COMMAND, null, type, backend, command, null, null));
  }

  @Override
  public void refused(MessageType type, short backend, String message, String hint) {
    items.add(new Item(Kind.REFUSE, null, type, backend, null, message, hint));
  }

  /** The protocol is broken: nothing more can be read. */
  public void failed(String message, String hint) {
    items.add(new Item(Kind.FAIL, null, null, Command.NO_BACKEND, null, message, hint));
  }

  @Override
  public void terminate() {
    items.add(new Item(Kind.TERMINATE, null, null, Command.NO_BACKEND, null, null, null));
  }
}
