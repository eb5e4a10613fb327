package io.mgtm.group.core.sim;

import static io.mgtm.group.core.sim.Violation.check;

import io.mgtm.group.Durability;
import io.mgtm.group.core.Entry;
import io.mgtm.group.core.EntryKind;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.TermStart;
import io.mgtm.group.total.ProposalEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Sees everything that all members do, and says when an invariant does not hold. */
final class Oracle {
  /** Entries that some member has committed, from index 1 on. */
  private final List<Entry> committed = new ArrayList<>();

  /** The state's digest after each of them. */
  private final List<Long> digests = new ArrayList<>();

  private final List<TreeMap<Long, Long>> registers = new ArrayList<>();
  private final Map<Long, MemberId> leaders = new HashMap<>();
  private final Set<Long> allocated = new HashSet<>();

  /**
   * Entries that a leader of a term without a commit had lost. When power fails again, one who has
   * them may lead, and its checkpoint may be of their time.
   */
  private final Map<Long, Entry> lost = new HashMap<>();

  /** How many proposals of each process are committed. */
  private final Map<String, Long> origins = new HashMap<>();

  private long highestTerm;

  private SimMachine reference = new SimMachine();
  private long forcedIndex;

  /** The highest index that a client knows of. */
  private long frontier;

  /** How often entries were lost, as they may be when a majority loses power. */
  private int losses;

  private boolean lossAllowed;
  private int acknowledged;

  Oracle() {
    for (int i = 0; i < SimMachine.REGISTERS; i++) {
      registers.add(new TreeMap<>());
    }
  }

  /** From here on a majority may have lost what was not forced. */
  void allowLoss() {
    lossAllowed = true;
  }

  long frontier() {
    return frontier;
  }

  int losses() {
    return losses;
  }

  int acknowledged() {
    return acknowledged;
  }

  long committedIndex() {
    return committed.size();
  }

  /** A member has won an election; its log ends with its term start. */
  void elected(MemberId member, long term, SimDisk disk) {
    MemberId other = leaders.putIfAbsent(term, member);
    check(other == null || other.equals(member), "%s and %s lead in term %d", other, member, term);
    boolean late = term < highestTerm;
    highestTerm = Math.max(highestTerm, term);
    long first = firstDifference(disk);
    if (late || first > committed.size()) {
      return; // who learns late that it was elected need not have what a later term has committed
    }
    boolean told = false;
    for (long index = first; index <= disk.last(); index++) {
      told |= saysThatEntriesMayBeMissing(disk.entry(index));
    }
    check(
        told && lossAllowed,
        "%s leads term %d without the committed entry %d (told %s, majority lost power %s)",
        member,
        term,
        first,
        told,
        lossAllowed);
    check(
        first > forcedIndex,
        "%s leads term %d without entry %d, and entry %d was acknowledged as forced",
        member,
        term,
        first,
        forcedIndex);
    lose(first);
  }

  private long firstDifference(SimDisk disk) {
    long index = disk.base + 1;
    while (index <= committed.size()
        && index <= disk.last()
        && same(committed.get((int) index - 1), disk.entry(index))) {
      index++;
    }
    return index;
  }

  private static boolean saysThatEntriesMayBeMissing(Entry entry) {
    return entry.kind() == EntryKind.TERM_START
        && TermStart.decode(entry.payload().duplicate()).entriesMayBeMissing();
  }

  private static boolean same(Entry one, Entry other) {
    return one.term() == other.term()
        && one.kind() == other.kind()
        && one.durability() == other.durability()
        && one.payload().equals(other.payload());
  }

  private void lose(long from) {
    losses++;
    for (long index = from; index <= committed.size(); index++) {
      lost.put(index, committed.get((int) index - 1));
    }
    committed.subList((int) from - 1, committed.size()).clear();
    digests.subList((int) from - 1, digests.size()).clear();
    registers.forEach(register -> register.tailMap(from, true).clear());
    frontier = Math.min(frontier, from - 1);
    reference = new SimMachine();
    origins.clear();
    for (int i = 0; i < committed.size(); i++) {
      checkOrigin(committed.get(i));
      applyTo(reference, committed.get(i), i + 1L);
    }
  }

  /** A member says that its entry is committed. */
  void committed(MemberId member, long index, Entry entry) {
    if (index <= committed.size()) {
      check(
          same(committed.get((int) index - 1), entry),
          "%s commits another entry %d than was committed before",
          member,
          index);
      return;
    }
    while (index > committed.size() + 1 && lost.containsKey(committed.size() + 1L)) {
      add(lost.get(committed.size() + 1L));
    }
    check(
        index == committed.size() + 1,
        "%s commits entry %d after %d",
        member,
        index,
        committed.size());
    add(entry);
  }

  private void add(Entry entry) {
    committed.add(entry);
    long index = committed.size();
    checkOrigin(entry);
    if (entry.durability() == Durability.REQUIRED) {
      forcedIndex = index;
    }
    applyTo(reference, entry, index);
    digests.add(reference.digest());
    Operation operation = SimTotal.operationOf(entry);
    if (operation != null) {
      registers.get(operation.register()).put(index, reference.registers[operation.register()]);
    }
  }

  /** Mode total: the proposals of a process stand in the log once, in their order. */
  private void checkOrigin(Entry entry) {
    if (!SimTotal.isProposal(entry)) {
      return;
    }
    ProposalEntry proposal = ProposalEntry.decode(entry.payload());
    String process = proposal.origin() + " started " + proposal.incarnation();
    long before = origins.getOrDefault(process, 0L);
    check(
        proposal.number() == before + 1,
        "proposal %d of %s is committed after %d",
        proposal.number(),
        process,
        before);
    origins.put(process, proposal.number());
  }

  /** What an entry does to a state, on a member that follows. */
  static void applyTo(SimMachine machine, Entry entry, long index) {
    Operation operation = SimTotal.operationOf(entry);
    if (operation != null && operation.kind() != Operation.Kind.READ) {
      machine.apply(operation, index);
    } else if (saysThatEntriesMayBeMissing(entry)) {
      machine.entriesMayBeMissing();
    }
  }

  /** A member's state after a committed index. */
  void state(MemberId member, long index, long digest) {
    long expected = index == 0 ? new SimMachine().digest() : digests.get((int) index - 1);
    check(digest == expected, "%s has another state than the group after entry %d", member, index);
  }

  /**
   * A client got a reply.
   *
   * @param frontierAtStart what some client knew when the operation began
   * @param lossesAtStart how often entries had been lost then
   */
  void acknowledged(
      Operation operation, long index, long reply, long frontierAtStart, int lossesAtStart) {
    acknowledged++;
    check(index <= committed.size(), "entry %d is acknowledged and not committed", index);
    boolean read = operation.kind() == Operation.Kind.READ;
    if (lossesAtStart == losses) {
      check(
          read ? index >= frontierAtStart : index > frontierAtStart,
          "%s saw the state of entry %d, and before it began a client knew of entry %d",
          operation,
          index,
          frontierAtStart);
    }
    if (read) {
      Map.Entry<Long, Long> written = registers.get(operation.register()).floorEntry(index);
      long expected = written == null ? 0 : written.getValue();
      check(reply == expected, "%s read %d and not %d", operation, reply, expected);
    } else {
      Operation stored = SimTotal.operationOf(committed.get((int) index - 1));
      check(
          operation.equals(stored),
          "%s was acknowledged as entry %d, %s",
          operation,
          index,
          stored);
    }
    if (operation.kind() == Operation.Kind.ALLOCATE) {
      check(allocated.add(reply), "the number %d is handed out twice", reply);
    }
    frontier = Math.max(frontier, index);
  }
}
