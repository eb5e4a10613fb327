package io.mgtm.group.core;

import io.mgtm.group.Durability;
import io.mgtm.group.DurabilityMode;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a leader changes about the group: who belongs to it, and who leads next. Owner thread.
 *
 * <p>One change of the membership at a time, by one voter, and none before the leader serves. While
 * it hands over, it sends nothing that it appends after that; so it may cut it again.
 */
final class Changes {
  /** So many members that keep data vote beside a witness. */
  private static final int BESIDE_WITNESS_MAX = 2;

  private final CoreState s;
  private final LeaderRole leader;

  /** Those that may join, and whether as the witness. */
  private final Map<String, Boolean> wanted = new LinkedHashMap<>();

  private Progress successor;
  private long heldAfter;
  private long transferDeadlineMs;
  private boolean transferTold;

  /** Whether anybody was told in this term, who may act on it late. */
  private boolean yielded;

  Changes(CoreState s, LeaderRole leader) {
    this.s = s;
    this.leader = leader;
  }

  /** The last index that may be sent. */
  long sendLimit() {
    return successor == null ? s.log.lastIndex() : heldAfter;
  }

  /** Whether the successor may lead already. */
  boolean isHandedOver() {
    return successor != null && transferTold;
  }

  /** Whether another may lead whom this one has told to, though it goes on itself. */
  boolean hasYielded() {
    return yielded;
  }

  boolean isTransferring() {
    return successor != null;
  }

  /** Begins to hand over; the answer is why not, and empty when it has begun. */
  Optional<String> transfer(String name) {
    Optional<Progress> target = leader.named(name);
    if (!leader.isServing() || successor != null) {
      return Optional.of("The leadership is changing already; try again");
    }
    if (leader.isFenced()) {
      return Optional.of("The leader stood still and asks whether it still leads; try again");
    }
    if (target.isEmpty() || !s.members.latest().isVoter(target.get().member)) {
      return Optional.of("%s is not another voting member of the group".formatted(name));
    }
    if (target.get().witness) {
      return Optional.of(
          "%s is the witness, which votes and keeps no data, so it cannot lead".formatted(name));
    }
    if (!leader.counts(target.get().member) || !leader.answers(target.get())) {
      return Optional.of("%s does not answer; choose another member".formatted(name));
    }
    successor = target.get();
    heldAfter = s.log.lastIndex();
    transferDeadlineMs = s.nowMs + s.settings.electionTimeoutMs();
    transferTold = false;
    leader.sendToAll();
    progressed(successor);
    return Optional.empty();
  }

  /** Cuts what no other member was sent, when the chosen successor asks for votes. */
  void yieldTo(MemberId candidate) {
    if (successor != null && successor.member.equals(candidate) && s.log.lastIndex() > heldAfter) {
      s.truncate(heldAfter + 1);
    }
  }

  void tick() {
    if (successor != null && s.nowMs >= transferDeadlineMs) {
      if (s.isLeased() && transferTold) {
        // With the witness's vote the other may lead without this member's knowledge.
        s.follow(s.term(), null);
        s.awaitLeader();
        return;
      }
      successor = null;
      leader.flush();
    }
    demote();
  }

  void memberGone(String name) {
    boolean goes = successor != null && successor.member.name().equals(name);
    if (!s.needsMajority() && goes && !(s.isLeased() && transferTold)) {
      successor = null;
      leader.flush();
    }
    demote();
  }

  /** With {@link Agreement#CONNECTED}: a voter that is not counted joins anew. */
  private void demote() {
    if (s.needsMajority() || !mayDemote()) {
      return;
    }
    Membership now = s.members.latest();
    for (MemberId voter : now.voters()) {
      if (!voter.equals(s.self) && !leader.counts(voter)) {
        progressOf(voter).restarted = false;
        change(now.demoted(voter));
        return;
      }
    }
  }

  void progressed(Progress other) {
    if (other == successor && other.match >= heldAfter && leader.mayLead(other) && !transferTold) {
      transferTold = true;
      yielded = true;
      leader.sendTo(other, new Message.TransferNow(s.term(), other.incarnation));
    }
    boolean learners = s.members.latest().learners().contains(other.member);
    boolean there = !s.gone.contains(other.member.name());
    if (learners && there && mayChange() && isCaughtUp(other) && hasSeat(other.member)) {
      other.restarted = false;
      change(s.members.latest().promoted(other.member));
    }
  }

  private boolean isCaughtUp(Progress other) {
    return other.witness ? other.match >= leader.termStart() : other.keepsUp(s);
  }

  /**
   * Whether it may vote. A witness stands for the second of two copies: whoever would make it three
   * learns until another has left.
   */
  boolean hasSeat(MemberId learner) {
    Membership next = s.members.latest().promoted(learner);
    return !next.hasWitness() || next.dataVoters().size() <= BESIDE_WITNESS_MAX;
  }

  private boolean mayChange() {
    return leader.isServing()
        && successor == null
        && s.members.latestIndex() <= s.commitIndex
        && s.log.hasRoom();
  }

  /**
   * Beside a witness a member is left out at any time: a leader that has just been elected cannot
   * serve before, and one may go before it is known to be back. What the witness has stored says
   * which of the memberships that are not committed counts, so it must vote and be there to store
   * it: its disk may be lost, and the other member be back soon.
   */
  private boolean mayDemote() {
    return s.isLeased()
        ? leader.isAnsweredByWitness() && successor == null && s.log.hasRoom()
        : mayChange();
  }

  private void change(Membership to) {
    leader.append(
        new Entry(
            s.term(), EntryKind.MEMBERSHIP, Durability.REQUIRED, ByteBuffer.wrap(to.encoded())));
    leader.flush();
  }

  /** Those that may join, and have not shown up. */
  Set<String> wanted() {
    return Set.copyOf(wanted.keySet());
  }

  /** A member shows up that has no place in the group. */
  void onHello(MemberId from) {
    Membership now = s.members.latest();
    Optional<MemberId> former = now.named(from.name());
    if (!s.needsMajority() && former.isPresent() && !now.contains(from)) {
      // Two processes of one name would be a partition, of which this agreement promises nothing.
      leader.doNotCount(former.get());
    }
    if (now.contains(from) || !mayChange()) {
      return;
    }
    if (former.isPresent()) {
      // The same name on another folder. Only when the former one is gone for sure.
      boolean silent = !former.get().equals(s.self) && !leader.answers(progressOf(former.get()));
      Membership next = now.without(former.get()).withLearner(from);
      if (silent && canCommit(next)) {
        s.warnings.warn(
            "place of " + from.name(),
            "%s does not answer, and another process of its name, on another data folder, takes its place: %s. If that is not meant, stop it, and start the former one"
                .formatted(former.get(), from));
        change(next);
      }
    } else if (wanted.containsKey(from.name())) {
      boolean witness = wanted.get(from.name());
      Membership next = (witness ? now.withWitness(from.name()) : now).withLearner(from);
      if (canCommit(next)) {
        wanted.remove(from.name());
        change(next);
      }
    }
  }

  /** Lets the group force more or less from now on. */
  Optional<String> durability(DurabilityMode mode) {
    Membership now = s.members.latest();
    if (now.durability().equals(Optional.of(mode))) {
      return Optional.empty();
    }
    if (!mayChange()) {
      return Optional.of("Another change of the group is under way; try again");
    }
    change(now.withDurability(mode));
    return Optional.empty();
  }

  /** Whether enough voters answer that the group will not come to a stand by the change. */
  private boolean canCommit(Membership next) {
    long answering =
        next.voters().stream()
            .filter(voter -> voter.equals(s.self) || leader.answers(progressOf(voter)))
            .count();
    boolean needed = s.needsMajority() || s.isLeased() || !next.witness().isEmpty();
    return !needed || answering >= next.majority();
  }

  private Progress progressOf(MemberId member) {
    return leader.progress(member);
  }

  /** Lets a member join when it shows up, as the witness or with data. */
  Optional<String> add(String name, boolean asWitness) {
    if (s.members.latest().named(name).isPresent()) {
      return Optional.of("%s is a member already".formatted(name));
    }
    if (s.members.latest().all().size() + wanted.size() >= Membership.MEMBERS_MAX) {
      return Optional.of("The group has %d members".formatted(Membership.MEMBERS_MAX));
    }
    wanted.remove(name);
    Optional<String> refusal = asWitness ? refusalOfWitness(name) : Optional.empty();
    if (refusal.isEmpty()) {
      refusal = refusalOfThird(asWitness);
    }
    if (refusal.isEmpty()) {
      wanted.put(name, asWitness);
    }
    return refusal;
  }

  private Optional<String> refusalOfWitness(String name) {
    Membership now = s.members.latest();
    if (!now.witness().isEmpty() && !now.witness().equals(name)) {
      return Optional.of(
          "The group has the witness %s; remove that first".formatted(now.witness()));
    }
    if (wanted.containsValue(true)) {
      return Optional.of("Another witness may join already; remove that first");
    }
    return now.dataVoters().size() < BESIDE_WITNESS_MAX
        ? Optional.of(
            "A witness is let in while both members that keep data are there; start the other first")
        : Optional.empty();
  }

  /** Only where votes are counted a third may learn beside a witness, or a witness beside three. */
  private Optional<String> refusalOfThird(boolean asWitness) {
    Membership now = s.members.latest();
    boolean beside = asWitness || !now.witness().isEmpty() || wanted.containsValue(true);
    long data =
        now.all().stream().filter(member -> !now.isWitness(member)).count()
            + wanted.values().stream().filter(witness -> !witness).count()
            + (asWitness ? 0 : 1);
    return beside && data > BESIDE_WITNESS_MAX && !s.needsMajority()
        ? Optional.of(
            "A witness goes with two members that keep data, and there would be %d; remove one first"
                .formatted(data))
        : Optional.empty();
  }

  Optional<String> remove(String name) {
    if (wanted.remove(name) != null) {
      return Optional.empty();
    }
    Optional<MemberId> member = s.members.latest().named(name);
    if (member.isEmpty()) {
      return Optional.of("%s is not a member".formatted(name));
    }
    if (member.get().equals(s.self)) {
      return Optional.of("%s leads; transfer the leadership first".formatted(name));
    }
    boolean witness = s.members.latest().isWitness(member.get());
    if (!s.needsMajority() && !witness && leader.counts(member.get())) {
      return Optional.of(
          "Stop %s first: in mode lazy it could lead otherwise, once this member is gone"
              .formatted(name));
    }
    if (!mayChange()) {
      return Optional.of("Another change of the group is under way; try again");
    }
    Membership now = s.members.latest();
    Membership rest = now.without(member.get());
    Membership next = now.isWitness(member.get()) ? rest.withWitness("") : rest;
    if (!canCommit(next)) {
      return Optional.of(
          "Without %s too few of the members that answer would be left; start the others first"
              .formatted(name));
    }
    change(next);
    return Optional.empty();
  }
}
