package io.mgtm.gtm.state;

import static io.mgtm.gtm.state.CheckpointItems.count;
import static io.mgtm.gtm.state.CheckpointItems.require;

import io.mgtm.gtm.command.FieldReader;
import io.mgtm.gtm.command.UnknownCommandException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Reads what {@link CheckpointEncoder} wrote, piece by piece, wherever that is cut: each call of
 * {@link #add} decodes the items that are whole, so that no call takes longer than its piece. One
 * thread at a time.
 */
public final class CheckpointDecoder {
  private static final short OLDEST_VERSION = 1;

  /** From this version on there are sessions of gateways. */
  private static final short FRONTS_VERSION = 2;

  /** From this version on there is what mode lazy keeps. */
  private static final short SERVED_VERSION = 3;

  /** What is kept of an item that is not whole: far more than any has. */
  private static final int REST_BYTES_MAX = 64 << 20;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /** Reads what stands before a section's items; the answer is how many there are. */
  private interface Head {
    int read(ByteBuffer in);
  }

  /** Reads one item, or, of a section of bytes, as many as there are; the answer is how many. */
  private interface Item {
    int read(ByteBuffer in, int left);
  }

  private record Section(short since, Head head, Item item, Runnable end) {}

  private final boolean nested;
  private final Iterator<Section> sections;
  private Section section;
  private boolean inItems;
  private int left;
  private ByteBuffer rest = NOTHING;

  private short version;
  private GxidAllocator gxids;
  private TransactionTable transactions;
  private final List<Transaction> open = new ArrayList<>();
  private final SequenceDatabases sequences = new SequenceDatabases();
  private final NodeRegistry nodes = new NodeRegistry();
  private final SessionTable sessions = new SessionTable();
  private final BarrierLog barriers = new BarrierLog();
  private final MemberTable members = new MemberTable();
  private final Restoring restoring = new Restoring();
  private long changedMicros;
  private int restoredFrom;
  private ServedTerm served = new ServedTerm();

  /** The checkpoint was written by a version that this one does not know. */
  public static final class UnknownVersionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final short version;

    UnknownVersionException(short version) {
      super(
          "the checkpoint has format version "
              + version
              + ", this program knows up to "
              + CheckpointEncoder.VERSION);
      this.version = version;
    }

    /** What its first two bytes are. */
    public short version() {
      return version;
    }
  }

  /** The bytes are no state that any version wrote. */
  public static final class CorruptCheckpointException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CorruptCheckpointException(String message) {
      super("the checkpoint is damaged: " + message);
    }

    CorruptCheckpointException(String message, Throwable cause) {
      super("the checkpoint is damaged: " + message, cause);
    }
  }

  /** Nothing is read yet. */
  public CheckpointDecoder() {
    this(false);
  }

  /** With {@code nested}, that of a backup that is being restored: it holds no other one. */
  CheckpointDecoder(boolean nested) {
    this.nested = nested;
    sections = program().iterator();
    section = sections.next();
  }

  /**
   * The state that {@code in} holds, which must be all that it holds.
   *
   * @throws UnknownVersionException when it is of a newer version
   * @throws CorruptCheckpointException when it breaks the format's or the state's rules
   */
  public static GtmState decode(ByteBuffer in) {
    CheckpointDecoder decoder = new CheckpointDecoder();
    decoder.add(in);
    return decoder.end();
  }

  private List<Section> program() {
    Runnable nothing = () -> {};
    return List.of(
        new Section(OLDEST_VERSION, this::version, null, nothing),
        new Section(OLDEST_VERSION, this::counters, this::transaction, this::transactionsEnd),
        new Section(
            OLDEST_VERSION,
            in -> expect(count(in, "sequences")),
            (in, of) -> one(() -> sequences.put(CheckpointItems.sequence(in))),
            () -> requireCount(sequences.count(), "a sequence")),
        new Section(
            OLDEST_VERSION,
            in -> expect(count(in, "nodes")),
            (in, of) -> one(() -> nodes.put(CheckpointItems.node(in))),
            () -> requireCount(nodes.count(), "a node")),
        new Section(
            OLDEST_VERSION,
            in -> expect(count(in, "sessions")),
            (in, of) -> one(() -> sessions.open(CheckpointItems.session(in))),
            () -> requireCount(sessions.count(), "a session")),
        new Section(
            OLDEST_VERSION,
            in -> count(in, "barriers"),
            (in, of) -> one(() -> barriers.add(CheckpointItems.barrier(in))),
            nothing),
        new Section(FRONTS_VERSION, this::changed, null, nothing),
        new Section(
            FRONTS_VERSION,
            in -> expect(sessions.count() + count(in, "sessions of gateways")) - sessions.count(),
            (in, of) -> one(() -> sessions.open(CheckpointItems.gateway(in))),
            () -> requireCount(sessions.count(), "a gateway's session")),
        new Section(
            FRONTS_VERSION,
            in -> expect(count(in, "members")),
            (in, of) -> one(() -> member(in)),
            () -> requireCount(members.addresses().size(), "a member")),
        new Section(FRONTS_VERSION, this::restored, this::piece, nothing),
        new Section(SERVED_VERSION, this::served, null, nothing));
  }

  /** How many items a section must have in the end, all different. */
  private int expected;

  private int expect(int count) {
    expected = count;
    return count;
  }

  private void requireCount(int found, String what) {
    require(found == expected, what + " stands there twice");
  }

  private static int one(Runnable item) {
    item.run();
    return 1;
  }

  /**
   * Reads what follows.
   *
   * @throws UnknownVersionException when it is of a newer version
   * @throws CorruptCheckpointException when it breaks the format's or the state's rules
   */
  public void add(ByteBuffer piece) {
    ByteBuffer in = piece;
    if (rest.hasRemaining()) {
      in = ByteBuffer.allocate(rest.remaining() + piece.remaining()).put(rest).put(piece).flip();
    }
    int whole = in.position();
    try {
      while (section != null) {
        step(in);
        whole = in.position();
      }
      require(!in.hasRemaining(), in.remaining() + " bytes too many");
      rest = NOTHING;
    } catch (BufferUnderflowException e) {
      in.position(whole);
      require(in.remaining() <= REST_BYTES_MAX, "an item of more than " + REST_BYTES_MAX);
      rest = ByteBuffer.allocate(in.remaining()).put(in).flip();
    } catch (UnknownCommandException e) {
      throw new CorruptCheckpointException(e.getMessage(), e);
    }
  }

  /** Nothing has changed when it throws for want of bytes. */
  private void step(ByteBuffer in) {
    if (!inItems) {
      left = section.head().read(in);
      inItems = true;
    } else if (left > 0) {
      left -= section.item().read(in, left);
    }
    if (left == 0) {
      section.end().run();
      inItems = false;
      section = next();
    }
  }

  private Section next() {
    while (sections.hasNext()) {
      Section following = sections.next();
      if (following.since() <= version) {
        return following;
      }
    }
    return null;
  }

  /**
   * All was added: the state.
   *
   * @throws CorruptCheckpointException when something is missing
   */
  public GtmState end() {
    require(section == null, "it ends too early");
    GtmState state =
        new GtmState(
            new Tables(gxids, transactions, sequences, nodes, sessions, barriers, members, served));
    state.restoreChangedMicros(changedMicros);
    state.setRestoredFrom(restoredFrom);
    state.setRestoring(restoring);
    return state;
  }

  private int version(ByteBuffer in) {
    short found = in.getShort();
    if (found < OLDEST_VERSION || found > CheckpointEncoder.VERSION) {
      throw new UnknownVersionException(found);
    }
    version = found;
    return 0;
  }

  private int counters(ByteBuffer in) {
    gxids = CheckpointItems.gxids(in);
    long latestCompleted = in.getLong();
    final long recentGlobalXmin = in.getLong();
    long completedMin = gxids.started() ? GxidMath.previous(GxidMath.FIRST_NORMAL) : 0;
    require(
        latestCompleted >= completedMin && latestCompleted < gxids.next(),
        "latest completed gxid " + latestCompleted);
    transactions = new TransactionTable(latestCompleted);
    transactions.setRecentGlobalXmin(recentGlobalXmin);
    transactions.setLastHandle(in.getInt());
    return count(in, "transactions");
  }

  private int transaction(ByteBuffer in, int of) {
    open.add(CheckpointItems.transaction(in, gxids));
    return 1;
  }

  private void transactionsEnd() {
    long latestCompleted = transactions.latestCompleted();
    try {
      transactions.restore(open);
    } catch (IllegalStateException e) {
      throw new CorruptCheckpointException(e.getMessage(), e);
    }
    transactions.setLatestCompleted(latestCompleted);
    long xmin = transactions.xmin(transactions.listed(), gxids.next());
    for (Transaction t : open) {
      require(t.vacuum || t.xmin <= xmin, "an xmin " + t.xmin + ", next is " + xmin);
    }
  }

  private int changed(ByteBuffer in) {
    changedMicros = in.getLong();
    return 0;
  }

  private void member(ByteBuffer in) {
    String member = FieldReader.getString(in);
    String address = FieldReader.getString(in);
    require(!address.isEmpty(), "a member without address");
    members.announce(member, address);
  }

  private int restored(ByteBuffer in) {
    int from = in.getInt();
    int bytes = count(in, "bytes");
    require(bytes == 0 || !nested, "a backup within a backup");
    restoredFrom = from;
    return bytes;
  }

  private int piece(ByteBuffer in, int of) {
    if (!in.hasRemaining()) {
      throw new BufferUnderflowException();
    }
    byte[] piece = new byte[Math.min(of, in.remaining())];
    in.get(piece);
    restoring.add(piece);
    return piece.length;
  }

  private int served(ByteBuffer in) {
    served = CheckpointItems.served(in);
    return 0;
  }
}
