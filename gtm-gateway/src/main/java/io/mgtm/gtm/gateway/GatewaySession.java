package io.mgtm.gtm.gateway;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * The numbers of a session's commands, and their bytes until they are answered: what was sent, what
 * is to be sent again. No I/O, no time.
 *
 * <p>Numbers: {@code acked <= sent <= last}. Replies came up to {@code acked}; up to {@code sent}
 * was sent since the session was attached the last time; {@code last} was added. Losing the
 * attachment sets {@code sent} back to {@code acked}, so that everything without a reply is sent
 * again, in order, and nothing else.
 *
 * @param <T> who waits for a reply
 */
public final class GatewaySession<T> {

  /**
   * How much may wait for replies.
   *
   * @param commandsMax how many commands
   * @param bytesMax of their bytes; one command may go beyond it
   */
  public record Window(int commandsMax, int bytesMax) {}

  private static final int CAPACITY_FIRST = 256;

  private final long id;
  private final Window window;
  private final ByteRing bytes = new ByteRing();
  private Object[] waiting = new Object[CAPACITY_FIRST];
  private long[] ends = new long[CAPACITY_FIRST];
  private long acked;
  private long sent;
  private long last;
  private long everSent;

  /** A session that no command was added to. */
  public GatewaySession(long id, Window window) {
    this.id = id;
    this.window = window;
  }

  long id() {
    return id;
  }

  /** Whether no command was ever sent. */
  boolean fresh() {
    return everSent == 0;
  }

  /** The highest number that was ever sent, over whichever attachment. */
  long everSent() {
    return everSent;
  }

  /** Replies came up to this number. */
  long acked() {
    return acked;
  }

  /** The number of the last command that was sent over the present attachment. */
  long sent() {
    return sent;
  }

  /** The number of the last command. */
  long last() {
    return last;
  }

  /** How many commands wait for their replies. */
  int pending() {
    return (int) (last - acked);
  }

  boolean hasRoom() {
    return pending() < window.commandsMax() && bytes.size() < window.bytesMax();
  }

  /**
   * Adds a command.
   *
   * @param encoded its bytes, copied
   * @return its number
   */
  public long add(T target, ByteBuffer encoded) {
    if (pending() == waiting.length) {
      grow();
    }
    bytes.add(encoded);
    last++;
    waiting[slot(last)] = target;
    ends[slot(last)] = bytes.end();
    return last;
  }

  private int slot(long number) {
    return (int) (number & (waiting.length - 1));
  }

  private void grow() {
    Object[] oldWaiting = waiting;
    long[] oldEnds = ends;
    waiting = new Object[2 * oldWaiting.length];
    ends = new long[2 * oldEnds.length];
    for (long n = acked + 1; n <= last; n++) {
      waiting[slot(n)] = oldWaiting[(int) (n & (oldWaiting.length - 1))];
      ends[slot(n)] = oldEnds[(int) (n & (oldEnds.length - 1))];
    }
  }

  /** Whether there are commands that the present attachment has not had. */
  public boolean hasUnsent() {
    return sent < last;
  }

  /**
   * Takes the commands that are to be sent next, from {@code sent() + 1}.
   *
   * @param bytesMax of them all, though at least one is taken
   * @param out where their bytes are appended
   * @return how many
   */
  public int send(int bytesMax, ByteBuf out) {
    long from = startOf(sent + 1);
    long to = sent + 1;
    while (to < last && ends[slot(to + 1)] - from <= bytesMax) {
      to++;
    }
    bytes.copy(from, ends[slot(to)], out);
    int count = (int) (to - sent);
    sent = to;
    everSent = Math.max(everSent, sent);
    return count;
  }

  private long startOf(long number) {
    return number == acked + 1 ? bytes.end() - bytes.size() : ends[slot(number - 1)];
  }

  /** The attachment is lost: what has no reply will be sent again. */
  public void detached() {
    sent = acked;
  }

  /** Whether a reply of this number may come now. */
  boolean expects(long number) {
    return number == acked + 1 && number <= sent;
  }

  /**
   * A reply has come, that which {@link #expects} is true for.
   *
   * @return who waits for it
   * @throws IllegalStateException when it may not come now
   */
  T answered(long number) {
    if (!expects(number)) {
      throw new IllegalStateException(
          "reply " + number + " after " + acked + ", with " + sent + " sent");
    }
    acked = number;
    bytes.dropTo(ends[slot(number)]);
    return take(number);
  }

  @SuppressWarnings("unchecked") // Only add puts something there.
  private T take(long number) {
    T target = (T) waiting[slot(number)];
    waiting[slot(number)] = null;
    return target;
  }

  /** Nothing will be answered any more; tells who waited, in order. */
  void abandon(Consumer<T> each) {
    while (acked < last) {
      acked++;
      sent = Math.max(sent, acked);
      each.accept(take(acked));
    }
    bytes.dropTo(bytes.end());
  }
}
