package io.mgtm.group.quorumdisk;

import io.mgtm.group.core.CoreSettings;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.net.MessageCodec;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers one member for the witness whose memory is a quorum disk. Owner thread.
 *
 * <p>A step takes what the member has said to the core of a witness, and holds back what that would
 * answer. Then it writes into this member's slot all that binds the witness from now on, when that
 * is anything new, and after that it reads the others' slots. When those still say what the step
 * was begun with, the answers leave. Else they are dropped, and the core begins again with what all
 * have said, as after a restart of the witness: messages may be lost, and the member repeats them.
 *
 * <p>So of two steps of two members one has seen the other: each writes before it reads, and if
 * neither had seen the other's words, each would have read before the other had written. The order
 * of the steps is that of one witness that was started again now and then. Nothing depends on how
 * long a write or a read takes. A write of this member that ends late ends in its own slot, whose
 * words only grow, and the next one waits for it.
 *
 * <p>No answer leaves either when the disk does not show what another member said it had written,
 * or what it showed before: this member then reads another disk, or a copy, and two would vote.
 *
 * <p>A leader's own words say that it leads, and another beat as long as it does, by which the
 * witness knows at the other member that it must not vote: else each side of a cut line would
 * depose the other's leader in turn. That spares elections, and no promise depends on it.
 */
final class DiskWitness {
  private static final Logger log = LoggerFactory.getLogger(DiskWitness.class);

  private static final String ALONE =
      "no other node has written on it: start the other controller, and name the same disk on both";

  /** What waits for the disk; the member says it again. */
  private static final int WAITING_MAX = 64;

  /** In beats: a disk that does not answer is told of. */
  private static final int PATIENCE = 20;

  /** Beats of an election timeout: several must be missed. */
  private static final int BEATS = 4;

  private final String member;
  private final List<String> configured;
  private final CoreSettings settings;
  private final DiskIo disk;
  private final LongSupplier clockMs;
  private final Consumer<byte[]> answers;
  private final ArrayDeque<MessageCodec.Envelope> waiting = new ArrayDeque<>();

  /** By slot. */
  private final Map<Integer, Long> beats = new HashMap<>();

  /** What others have said that they had written, by slot. */
  private final Map<Integer, DiskMark> heard = new HashMap<>();

  /** What of that the read under way must show. */
  private List<DiskMark> due = List.of();

  /** Null until all that was said has been read, and after anything has failed. */
  private WitnessCore core;

  private DiskImage seen;
  private int slot;
  private long number;
  private Optional<MemberId> writer = Optional.empty();

  /** Whether the words that were written last say that the member leads. */
  private boolean saidToLead;

  /** What the step under way has written, empty when it only reads. */
  private Optional<Words> pending = Optional.empty();

  /** The last own words on which answers have left. */
  private Optional<Words> answered = Optional.empty();

  private long beatDueMs;
  private volatile boolean busy;
  private volatile long busySinceMs;
  private volatile long tookMs;
  private volatile long goodMs;
  private boolean closed;

  /** What the log was told last; empty after a good step. */
  private String told = "";

  /** Why nothing is answered now, empty when something may be. */
  private volatile String problem = "it has not been read yet";

  /** Why this member may not write, empty when it may. */
  private volatile String refusal = "";

  /**
   * One that knows nothing yet.
   *
   * @param member the one that it answers
   * @param configured the names that the group is founded with, the witness's among them
   * @param answers takes a message of the witness for the member
   */
  DiskWitness(
      String member,
      List<String> configured,
      CoreSettings settings,
      DiskIo disk,
      LongSupplier clockMs,
      Consumer<byte[]> answers) {
    this.member = member;
    this.configured = configured;
    this.settings = settings;
    this.disk = disk;
    this.clockMs = clockMs;
    this.answers = answers;
    this.goodMs = clockMs.getAsLong();
  }

  /** How often {@link #tick} is to be called. */
  long tickMs() {
    return Math.max(1, settings.electionTimeoutMs() / BEATS);
  }

  /** The member says something to the witness. */
  void received(byte[] message) {
    if (waiting.size() < WAITING_MAX) {
      waiting.add(WitnessCore.decode(message));
    }
    step(false);
  }

  /** Time has passed. */
  void tick() {
    step(true);
  }

  private void step(boolean look) {
    if (busy || closed || (!look && waiting.isEmpty())) {
      return;
    }
    if (core == null || (writer.isEmpty() && !waiting.isEmpty() && !mayWrite())) {
      read();
      return;
    }
    long nowMs = clockMs.getAsLong();
    core.begin();
    while (!waiting.isEmpty()) {
      core.receive(nowMs, waiting.poll());
    }
    core.tick(nowMs);
    if (!core.failure().isEmpty()) {
      fail(core.failure());
      return;
    }
    if (writer.isEmpty()) {
      if (core.hasChanged()) {
        beginAgain(); // what binds it could not be written
      }
      read(); // it may have said that it is there
      return;
    }
    boolean leads = core.isLedByMember();
    boolean ended = saidToLead && !leads;
    // The first words take the slot, before another data folder of that name can.
    DiskImage.Said said = seen.said().get(slot);
    boolean takes = said.words().isEmpty() && said.number() == number;
    if (core.hasChanged() || takes || ended || (leads && nowMs >= beatDueMs)) {
      write(leads);
    } else if (look || core.hasHeld()) {
      read();
    }
  }

  /** The member's data folder is known with its first message: the slot is that folder's. */
  private boolean mayWrite() {
    MemberId from = waiting.peek().from();
    Optional<Words> before = seen.said().get(slot).words();
    if (before.isPresent() && !before.get().writer().equals(from)) {
      refuse(
          "the slot of node %s belongs to another data folder, whose words must stay: after a machine was replaced run mgtm ha quorum-disk renew %s"
              .formatted(member, member));
      return false;
    }
    refusal = "";
    writer = Optional.of(from);
    return true;
  }

  private void write(boolean leads) {
    beatDueMs = clockMs.getAsLong() + tickMs() / 2;
    Words next = core.write(writer.orElseThrow(), leads);
    saidToLead = leads;
    pending = Optional.of(next);
    begins();
    disk.write(slot, ++number, next.encoded(), this::written);
  }

  private void written(String failure) {
    if (failure == null) {
      read();
    } else {
      pending = Optional.empty();
      busy = false;
      fail(failure);
    }
  }

  private void read() {
    begins();
    due = List.copyOf(heard.values());
    disk.read(this::readAgain);
  }

  private void begins() {
    busySinceMs = busy ? busySinceMs : clockMs.getAsLong();
    busy = true;
  }

  private void readAgain(DiskImage now, String failure) {
    if (closed) {
      return;
    }
    if (failure == null) {
      problem = "";
      take(now);
    } else {
      fail(failure);
    }
    pending = Optional.empty();
    long nowMs = clockMs.getAsLong();
    tookMs = nowMs - busySinceMs;
    if (problem.isEmpty() && refusal.isEmpty()) {
      told = "";
      goodMs = tookMs > tooSlowMs() ? goodMs : nowMs;
    }
    busy = false;
    step(false);
  }

  private void take(DiskImage now) {
    Stream<DiskMark> before = seen == null ? Stream.empty() : seen.marks();
    Optional<DiskMark> missing =
        Stream.concat(due.stream(), before).filter(of -> !now.shows(of)).findFirst();
    if (missing.isPresent()) {
      fail(
          "it does not show what %s has written: it is another disk, a copy, or an older one. Configure one disk for both nodes, or create it again while both controllers are running"
              .formatted(missing.get().node()));
    } else if (core == null || now.slotOf(member) != slot || !now.othersBindAs(seen, slot)) {
      begin(now);
    } else if (now.said().get(slot).number() == number) {
      answered = pending.isPresent() ? pending : answered;
      seen = now;
      noteBeats(now);
      boolean known = core.isOfGroup() || now.isUsedBeside(member);
      problem = known ? "" : ALONE;
      // Still busy: what the member says to it waits.
      core.held(known).forEach(answers);
    } else {
      // Not words that this process failed to write: it would have begun again.
      fail(
          "another process writes into the slot of node %s; stop the machine that is wrong"
              .formatted(member));
    }
  }

  /** Begins with what all have said, as far as any answer may have left on it. */
  private void begin(DiskImage now) {
    int own = now.slotOf(member);
    if (own < 0) {
      refuse(
          "it has no slot for node %s: run mgtm ha quorum-disk renew %s".formatted(member, member));
      return;
    }
    slot = own;
    if (now.said().get(slot).words().isEmpty()) {
      refusal = ""; // the place is new
    }
    if (seen != null && !now.disk().equals(seen.disk())) {
      saidToLead = false;
      answered = Optional.empty();
    }
    seen = now;
    writer = Optional.empty();
    number = now.said().get(slot).number();
    Words none = Words.none(new MemberId(QuorumDisk.MEMBER, now.disk()));
    Words words = now.allWords(slot, none, answered);
    long nowMs = clockMs.getAsLong();
    core = new WitnessCore(member, configured, settings, now.disk(), words, nowMs);
    beats.clear();
    noteBeats(now);
  }

  /** Who has written another beat leads. */
  private void noteBeats(DiskImage now) {
    for (int other = 0; other < now.said().size(); other++) {
      Optional<Words> said = now.said().get(other).words();
      if (other == slot || said.isEmpty() || !said.get().leads()) {
        continue;
      }
      Long before = beats.put(other, said.get().beat());
      if (before != null && before != said.get().beat()) {
        core.leaderSeen(clockMs.getAsLong(), said.get().writer(), said.get().record().term());
      }
    }
  }

  private void refuse(String why) {
    tellOnce(why);
    refusal = why;
    beginAgain();
  }

  private void fail(String why) {
    tellOnce(why);
    problem = why;
    beginAgain();
  }

  private void tellOnce(String why) {
    if (!why.equals(told)) {
      told = why;
      log.warn("Quorum disk: {}", why);
    }
  }

  /** Nothing that waits is answered, and all is read anew at the next tick. */
  private void beginAgain() {
    core = null;
    waiting.clear();
  }

  /** Another member has written that. */
  void heard(DiskMark of) {
    if (!of.node().equals(member)) {
      heard.merge(of.slot(), of, DiskMark::newer);
    }
  }

  /** Why the disk does not vote for the member; empty when it does. Any thread. */
  Optional<String> problem() {
    long busyMs = busy ? clockMs.getAsLong() - busySinceMs : 0;
    if (busyMs > PATIENCE * tickMs()) {
      return Optional.of("it has not answered for %d s".formatted(busyMs / 1_000));
    }
    return Stream.of(problem, refusal).filter(why -> !why.isEmpty()).findFirst();
  }

  /** The same when that has lasted, or that it has been too slow for so long. Any thread. */
  Optional<String> lastingProblem() {
    if (clockMs.getAsLong() - goodMs <= PATIENCE * tickMs()) {
      return Optional.empty();
    }
    return problem()
        .or(
            () ->
                Optional.of(
                    "it took %d ms to answer: above %d ms nobody may be elected with it, nor lead"
                        .formatted(tookMs, tooSlowMs())));
  }

  private long tooSlowMs() {
    return settings.electionTimeoutMs() / 2;
  }

  /** What the member has on the disk; empty when that is not known yet. */
  Optional<DiskMark> mark() {
    return Optional.ofNullable(seen).map(image -> image.mark(slot));
  }

  boolean isClosed() {
    return closed;
  }

  /** Says nothing any more. */
  void close() {
    closed = true;
    disk.close();
  }
}
