package io.mgtm.group.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * How a member without a place in the group gets one: it says hello to all names, until either all
 * configured members have met, or a leader lets it join. Owner thread.
 *
 * <p>Members meet in rounds, each with a number that the answers repeat; answers to an older one do
 * not count. When one round has found all configured names, each on a folder that has acknowledged
 * no term, and the next one has found the same, this member stores them as the founding membership.
 * Whoever has none takes that of another which names it.
 *
 * <p>Invariants, as long as one process at a time has a name, and all were configured with the same
 * names:
 *
 * <ol>
 *   <li>For each founding membership F there is a moment c(F), between the two rounds, at which all
 *       of F existed and none of F had voted: a voter has acknowledged the term before, and says
 *       so.
 *   <li>Before it has heard a leader, a member votes within one F only: it takes another one only
 *       while it has acknowledged no term.
 *   <li>Two different foundings are both elected only if a whole majority that elected one of them
 *       has lost its disks. For let Q1 elect k in F1, and Q2 somebody in F2. Both are majorities of
 *       the same names and share one, on different folders by (2); say that on F1's folder n1 was
 *       the earlier. All of F2, that name's later folder n2 among it, existed at c(F2), so n1 had
 *       voted or stood before. If k is another name, it had acknowledged a term before n1 voted;
 *       its folder was still there when the last of Q1 voted. A member x of Q1 that F2 names had
 *       not voted at c(F2), so k lived then, was named by F2, and had acknowledged a term: that
 *       contradicts (1). If k is n1, it lived until the last of Q1 had voted, which was before
 *       c(F2), and so had x: that contradicts (1) too. So F2 names no folder of Q1.
 * </ol>
 *
 * <p>Hence who hears a leader may follow it whatever it has met before, as long as its own log is
 * empty; from then on it belongs to that founding for good ({@link TermRecord#founding}). When it
 * stops before it has stored an entry, and hears no leader afterwards, it takes the founding
 * membership from any member of that founding that names its folder: it has acknowledged nothing
 * and voted for nobody, as is so for all of F at c(F).
 */
final class Bootstrap {
  /** In election timeouts: who has not answered for that long is missed. */
  private static final int SILENCE = 5;

  private static final String MISSED = "missed";

  private final CoreState s;

  /** Those that answered in this round that they are new. */
  private final Map<String, MemberId> newMembers = new HashMap<>();

  /** What each name was started with, as it has said last. */
  private final Map<String, Configured> configured = new HashMap<>();

  /** What the last round has found, when it was complete. */
  private List<MemberId> met = List.of();

  private long nonce;
  private long roundEndsMs;
  private long nextHelloMs;
  private long mayChangeMs;

  /** When each name has answered last. */
  private final Map<String, Long> answeredMs = new HashMap<>();

  /** Those of them that have voted, so that their group was founded before. */
  private final Set<String> founded = new TreeSet<>();

  private final long startedMs;
  private long nextLookMs;

  /** Of a group that has changed, the configured names may know more than this member. */
  private String leaderHeardOf = "";

  Bootstrap(CoreState s) {
    this.s = s;
    this.mayChangeMs = s.nowMs;
    this.startedMs = s.nowMs;
    this.nextLookMs = s.nowMs + silenceMs();
    beginRound(List.of());
  }

  private void beginRound(List<MemberId> metBefore) {
    met = metBefore;
    newMembers.clear();
    nonce = s.jitter(Long.MAX_VALUE);
    roundEndsMs = s.nowMs + s.settings.electionTimeoutMs();
    nextHelloMs = s.nowMs;
  }

  void tick() {
    if (!mayFound()) {
      s.warnings.clear(MISSED);
    }
    if (hasPlace()) {
      return;
    }
    if (s.nowMs >= roundEndsMs) {
      beginRound(List.of());
    }
    meet();
    if (s.nowMs >= nextHelloMs) {
      sayHello();
    }
    if (s.nowMs >= nextLookMs) {
      nextLookMs = s.nowMs + s.settings.electionTimeoutMs();
      tellWhoIsMissed();
    }
  }

  private long silenceMs() {
    return SILENCE * s.settings.electionTimeoutMs();
  }

  private void tellWhoIsMissed() {
    List<String> missed =
        s.configured.members().stream()
            .filter(name -> !name.equals(s.self.name()))
            .filter(name -> s.nowMs - answeredMs.getOrDefault(name, startedMs) >= silenceMs())
            .toList();
    if (!leaderHeardOf.isEmpty()) {
      s.warnings.clear(MISSED); // That one says what this member lacks.
    } else if (mayFound() && !founded.isEmpty()) {
      s.warnings.warn(
          MISSED,
          "%s %s of a group already, and this member's folder is new: it is let in once that group has a leader, or start it on the folder that it had"
              .formatted(String.join(", ", founded), founded.size() == 1 ? "is" : "are"));
    } else if (mayFound() && !missed.isEmpty()) {
      s.warnings.warn(
          MISSED,
          "No group is founded, since %s %s not answer; look whether they run, reach this member, and are configured with the same members and mode"
              .formatted(String.join(", ", missed), missed.size() == 1 ? "does" : "do"));
    }
  }

  /**
   * The entry that let it join may be one of a leader that was deposed, and of no other's log. A
   * witness has no log, and asks while it hears no leader.
   */
  private boolean hasPlace() {
    return s.isSettled()
        && s.ownMembership.isHeld()
        && s.members.at(s.commitIndex).contains(s.self)
        && (s.hearsLeader() || !s.isWitness());
  }

  private void sayHello() {
    nextHelloMs = s.nowMs + s.settings.helloMs();
    Set<String> names = new LinkedHashSet<>(s.configured.members());
    s.members.latest().all().forEach(member -> names.add(member.name()));
    names.add(s.leader == null ? leaderHeardOf : s.leader.name());
    names.remove(s.self.name());
    names.remove("");
    if (!names.isEmpty()) {
      s.effects.send(List.copyOf(names), new Message.Hello(s.term(), s.record.founding(), nonce));
    }
  }

  /** One has come that has not heard what was said before. */
  void peerUp() {
    nextHelloMs = s.nowMs;
  }

  void onHello(MemberId from, Message.Hello hello) {
    s.showsUp(from);
    String leader = s.leader == null ? "" : s.leader.name();
    s.effects.send(
        List.of(from.name()),
        new Message.HelloReply(s.term(), hello.nonce(), leader, s.configured, s.record.initial()));
  }

  void onReply(MemberId from, Message.HelloReply reply) {
    if (s.configured.members().contains(from.name())) {
      answeredMs.put(from.name(), s.nowMs);
      if (reply.term() > 0) {
        founded.add(from.name());
      } else {
        founded.remove(from.name());
      }
    }
    if (reply.nonce() != nonce) {
      return;
    }
    leaderHeardOf = reply.leader();
    if (reply.term() == 0 && isConfiguredAs(from, reply)) {
      newMembers.put(from.name(), from);
    } else {
      newMembers.remove(from.name());
    }
    if (namesThisMember(reply)) {
      found(reply.initial());
    }
    meet();
  }

  private boolean isConfiguredAs(MemberId from, Message.HelloReply reply) {
    String subject = "started with " + from.name();
    if (s.configured.members().contains(from.name())) {
      configured.put(from.name(), reply.configured());
    }
    Optional<String> difference =
        s.configured.differenceFrom(reply.configured(), s.self.name(), from.name());
    if (difference.isEmpty()) {
      difference = differenceToOthers(from.name(), reply.configured());
    }
    if (difference.isPresent() && mayFound()) {
      s.warnings.warn(subject, "No group is founded: " + difference.get());
    } else {
      s.warnings.clear(subject);
    }
    return difference.isEmpty();
  }

  /** A witness, which begins nothing itself, must not bring two together that would differ. */
  private Optional<String> differenceToOthers(String name, Configured its) {
    return configured.entrySet().stream()
        .flatMap(other -> other.getValue().beginsOtherwise(its, other.getKey(), name).stream())
        .findFirst();
  }

  private boolean mayFound() {
    return !s.isSettled() && s.term() == 0;
  }

  /**
   * Whether another member's founding is to be this one's too. One that has heard a leader and
   * stopped before it had stored anything of its log belongs to that one's founding, and takes no
   * other.
   */
  private boolean namesThisMember(Message.HelloReply reply) {
    if (s.isSettled()
        && !(s.hasNoMembership() && s.record.founding().equals(reply.initial().founding()))) {
      return false;
    }
    Membership own = s.record.initial();
    boolean better =
        own.equals(Membership.NONE)
            || (s.term() == 0 && reply.term() > 0 && s.nowMs >= mayChangeMs);
    return better && s.log.lastIndex() == 0 && reply.initial().isVoter(s.self);
  }

  private void meet() {
    if (!mayFound()) {
      return;
    }
    List<MemberId> all = new ArrayList<>();
    for (String name : s.configured.members()) {
      MemberId member = name.equals(s.self.name()) ? s.self : newMembers.get(name);
      if (member == null) {
        return;
      }
      all.add(member);
    }
    if (all.equals(met)) {
      found(Membership.ofVoters(all).withWitness(s.configured.witness()));
      beginRound(List.of());
    } else {
      beginRound(all);
    }
  }

  private void found(Membership initial) {
    if (initial.equals(s.record.initial())) {
      return;
    }
    // While others that stood for election differ, this is no reason to write all the time.
    mayChangeMs = s.nowMs + 4 * s.settings.electionTimeoutMs();
    s.save(s.record.withInitial(initial));
    s.members.reset(0, initial);
    s.follow(s.term(), null);
    s.awaitTurn(null);
  }
}
