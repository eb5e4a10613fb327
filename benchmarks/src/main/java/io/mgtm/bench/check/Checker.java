package io.mgtm.bench.check;

import io.mgtm.bench.check.Finding.Kind;
import io.mgtm.bench.check.TransactionTrack.State;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Checks what the connections of one thread see of transactions and snapshots. The thread tells it
 * of each request <em>before</em> it is sent and of each reply <em>after</em> it has come, so that
 * one clock, counted up by each call, orders them all:
 *
 * <pre>
 *   client   begin asked ---------- begin acknowledged ... end asked ---------- end acknowledged
 *   GTM                  ^ begins                                    ^ ends
 *   other client                 snapshot asked -------- snapshot received
 *   GTM                                         ^ taken
 * </pre>
 *
 * <p>What the GTM does lies somewhere between the two calls around it. So a snapshot must show a
 * transaction as
 *
 * <ul>
 *   <li>running, when its begin was acknowledged before the snapshot was asked for, and its end had
 *       not been asked for when the snapshot was received;
 *   <li>ended, when its end was acknowledged before the snapshot was asked for.
 * </ul>
 *
 * <p>A GTM ends the transactions of a connection that breaks, maybe long before its client learns
 * that it broke. A running transaction that a snapshot did not show is therefore reported when its
 * end, asked for later, is acknowledged: then it was open all the while.
 *
 * <p>Between these, either is right. Running is: listed, or not before xmax. Beside these, a gxid
 * never comes twice, nor does an older one than was known when it was asked for; xmin is the oldest
 * gxid listed, or xmax when there is none; all listed lie before xmax; the recent global xmin does
 * not lie after xmin; and xmax does not go back.
 *
 * <p>Transactions of others are allowed everything: several checkers, each for a thread of its own,
 * share {@link GivenOut} only, and do not judge each other's snapshots. One thread.
 */
public final class Checker {
  private static final int GXID_BYTES = Integer.BYTES;

  private final GivenOut givenOut;
  private final Findings findings;

  /** Transactions of this checker that are not known to have ended, by gxid. */
  private final Int2ObjectHashMap<TransactionTrack> known = new Int2ObjectHashMap<>();

  private final List<TransactionTrack> tracks = new ArrayList<>();

  /** Every gxid that this checker's connections were given. */
  private final PagedBitmap own = new PagedBitmap();

  private final EndedTransactions ended = new EndedTransactions();
  private HeldTransactions held;

  private long clock;
  private long snapshots;
  private boolean anyBegun;
  private int newestBegun;
  private boolean anyEnded;
  private int newestEnded;
  private boolean anySnapshot;
  private int newestXmax;

  public Checker(GivenOut givenOut, Findings findings) {
    this.givenOut = givenOut;
    this.findings = findings;
  }

  /** A track for a new connection. */
  public TransactionTrack newTrack() {
    TransactionTrack track = new TransactionTrack();
    tracks.add(track);
    return track;
  }

  /**
   * Transactions that others have begun, in this order, and will not end while this checker is
   * used.
   */
  public void hold(int... gxids) {
    held = gxids.length == 0 ? null : new HeldTransactions(gxids);
  }

  /** A begin is about to be sent. */
  public void beginAsked(TransactionTrack track) {
    clock++;
    track.anyBegun = anyBegun;
    track.newestBegun = newestBegun;
  }

  /** A begin was answered. */
  public void begun(TransactionTrack track, int gxid) {
    clock++;
    if (!givenOut.addGxid(gxid)) {
      findings.add(Kind.GXID_TWICE, "gxid " + text(gxid) + " was given twice");
    }
    if (track.anyBegun && gxid - track.newestBegun <= 0) {
      findings.add(
          Kind.GXID_WENT_BACK,
          "gxid " + text(gxid) + " was given to who asked after " + text(track.newestBegun));
    }
    if (!anyBegun || gxid - newestBegun > 0) {
      anyBegun = true;
      newestBegun = gxid;
    }
    own.add(Integer.toUnsignedLong(gxid));
    track.gxid = gxid;
    track.begunAt = clock;
    track.listedBy = 0;
    track.state = State.OPEN;
    known.put(gxid, track);
  }

  /** A commit or rollback is about to be sent. */
  public void endAsked(TransactionTrack track) {
    clock++;
    track.state = State.IN_DOUBT;
  }

  /** A commit or rollback was acknowledged. */
  public void ended(TransactionTrack track) {
    clock++;
    known.remove(track.gxid);
    ended.add(track.gxid, clock);
    if (track.hiddenFrom != null) {
      findings.add(Kind.RUNNING_HIDDEN, track.hiddenFrom);
      track.hiddenFrom = null;
    }
    if (!anyEnded || track.gxid - newestEnded > 0) {
      anyEnded = true;
      newestEnded = track.gxid;
    }
    track.state = State.NONE;
  }

  /**
   * The connection broke, or its request failed: its transaction may have ended by it. The track is
   * to be replaced by a new one.
   */
  public void lost(TransactionTrack track) {
    clock++;
    tracks.remove(track);
    if (track.state != State.NONE) {
      track.state = State.IN_DOUBT;
    }
  }

  /** A snapshot is about to be asked for. */
  public void snapshotAsked(TransactionTrack track) {
    clock++;
    track.snapshotAskedAt = clock;
    track.anyEnded = anyEnded;
    track.newestEnded = newestEnded;
    track.anySnapshot = anySnapshot;
    track.newestXmax = newestXmax;
  }

  /**
   * A snapshot was received.
   *
   * @param list little-endian gxids from {@code from} on; its position and limit are changed
   */
  public void snapshotReceived(
      TransactionTrack track,
      int xmin,
      int xmax,
      int recentGlobalXmin,
      ByteBuffer list,
      int from,
      int count) {
    clock++;
    snapshots++;
    int oldest = checkListed(track, xmin, xmax, list, from, count);
    checkBounds(track, xmin, xmax, recentGlobalXmin, oldest);
    for (int i = 0; i < tracks.size(); i++) {
      TransactionTrack other = tracks.get(i);
      if (other.state == State.OPEN
          && other.begunAt < track.snapshotAskedAt
          && other.listedBy != snapshots
          && other.gxid - xmax < 0) {
        other.hiddenFrom = hidden(other.gxid, xmin, xmax);
      }
    }
    if (!anySnapshot || xmax - newestXmax > 0) {
      anySnapshot = true;
      newestXmax = xmax;
    }
  }

  /** Checks each listed gxid; the oldest of them, or {@code xmax}. */
  private int checkListed(
      TransactionTrack track, int xmin, int xmax, ByteBuffer list, int from, int count) {
    int oldest = xmax;
    int heldAt = count;
    int heldEnd = count;
    if (held != null) {
      int index = held.indexIn(list, from, count);
      list.clear();
      if (index >= 0) {
        heldAt = index;
        heldEnd = index + held.count();
        oldest = held.oldest();
        checkBeforeXmax(held.newest(), xmax);
      } else {
        checkHeldOneByOne(xmin, xmax, list, from, count);
      }
    }
    for (int i = 0; i < count; i++) {
      if (i == heldAt) {
        i = heldEnd;
        if (i >= count) {
          break;
        }
      }
      int gxid = list.getInt(from + i * GXID_BYTES);
      oldest = gxid - oldest < 0 ? gxid : oldest;
      checkListed(track, gxid, xmax);
    }
    return oldest;
  }

  private void checkHeldOneByOne(int xmin, int xmax, ByteBuffer list, int from, int count) {
    Integer missing = held.missingFrom(list, from, count);
    if (missing != null && missing - xmax < 0) {
      findings.add(Kind.RUNNING_HIDDEN, hidden(missing, xmin, xmax));
    }
  }

  private void checkBeforeXmax(int gxid, int xmax) {
    if (gxid - xmax >= 0) {
      findings.add(
          Kind.SNAPSHOT_INCONSISTENT,
          "gxid " + text(gxid) + " is listed and does not lie before xmax " + text(xmax));
    }
  }

  private void checkListed(TransactionTrack track, int gxid, int xmax) {
    checkBeforeXmax(gxid, xmax);
    TransactionTrack listed = known.get(gxid);
    if (listed != null) {
      if (listed.listedBy == snapshots) {
        findings.add(Kind.SNAPSHOT_INCONSISTENT, "gxid " + text(gxid) + " is listed twice");
      }
      listed.listedBy = snapshots;
    } else if (own.contains(Integer.toUnsignedLong(gxid))
        && ended.endedBefore(gxid, track.snapshotAskedAt)) {
      findings.add(
          Kind.ENDED_SHOWN,
          "gxid " + text(gxid) + " had ended, and a snapshot asked for after it lists it");
    }
  }

  private void checkBounds(
      TransactionTrack track, int xmin, int xmax, int recentGlobalXmin, int oldest) {
    if (xmin != oldest) {
      findings.add(
          Kind.SNAPSHOT_INCONSISTENT,
          "xmin is " + text(xmin) + " and the oldest running gxid is " + text(oldest));
    }
    if (recentGlobalXmin - xmin > 0) {
      findings.add(
          Kind.SNAPSHOT_INCONSISTENT,
          "the recent global xmin " + text(recentGlobalXmin) + " lies after xmin " + text(xmin));
    }
    if (track.anyEnded && track.newestEnded - xmax >= 0) {
      findings.add(
          Kind.ENDED_SHOWN,
          "gxid "
              + text(track.newestEnded)
              + " had ended, and a snapshot asked for after it has xmax "
              + text(xmax));
    }
    if (track.anySnapshot && xmax - track.newestXmax < 0) {
      findings.add(
          Kind.SNAPSHOT_INCONSISTENT,
          "xmax went back from " + text(track.newestXmax) + " to " + text(xmax));
    }
  }

  private static String hidden(int gxid, int xmin, int xmax) {
    return "gxid "
        + text(gxid)
        + " was running, and a snapshot from "
        + text(xmin)
        + " to "
        + text(xmax)
        + " did not show it";
  }

  private static String text(int gxid) {
    return Integer.toUnsignedString(gxid);
  }
}
