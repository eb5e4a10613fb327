package io.mgtm.group.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How a member without a place in the group gets one: it says hello to all names, until either all
 * configured members have answered that they are as new as itself, or a leader lets it join. Owner
 * thread.
 *
 * <p>The answers count only for the hello of this start. A member that has ever acknowledged a term
 * says so; and whoever has voted has made the candidate acknowledge one before. So where anything
 * can have been committed, not all answer that they are new.
 */
final class Introduction {
  private final CoreState s;
  private final long nonce;
  private final Map<String, MemberId> newMembers = new HashMap<>();
  private long lastHelloMs;

  /** Of a group that has changed, the configured names may know more than this member. */
  private String leaderHeardOf = "";

  Introduction(CoreState s) {
    this.s = s;
    this.nonce = s.jitter(Long.MAX_VALUE);
    this.lastHelloMs = s.nowMs - s.settings.helloMs();
  }

  void tick() {
    if (s.members.latest().contains(s.self) || s.nowMs - lastHelloMs < s.settings.helloMs()) {
      return;
    }
    lastHelloMs = s.nowMs;
    Set<String> names = new LinkedHashSet<>(s.configured);
    s.members.latest().all().forEach(member -> names.add(member.name()));
    names.add(s.leader == null ? leaderHeardOf : s.leader.name());
    names.remove(s.self.name());
    names.remove("");
    if (!names.isEmpty()) {
      s.effects.send(List.copyOf(names), new Message.Hello(s.term(), nonce));
    }
    meetWhenAllAreNew();
  }

  void onHello(MemberId from, Message.Hello hello) {
    String leader = s.leader == null ? "" : s.leader.name();
    s.effects.send(List.of(from.name()), new Message.HelloReply(s.term(), hello.nonce(), leader));
  }

  void onReply(MemberId from, Message.HelloReply reply) {
    if (reply.nonce() != nonce) {
      return;
    }
    leaderHeardOf = reply.leader();
    if (reply.term() == 0) {
      newMembers.put(from.name(), from);
    } else {
      newMembers.remove(from.name());
    }
    meetWhenAllAreNew();
  }

  private void meetWhenAllAreNew() {
    if (s.term() != 0 || !s.members.latest().equals(Membership.NONE)) {
      return;
    }
    List<MemberId> all = new ArrayList<>();
    for (String name : s.configured) {
      MemberId member = name.equals(s.self.name()) ? s.self : newMembers.get(name);
      if (member == null) {
        return;
      }
      all.add(member);
    }
    Membership initial = Membership.ofVoters(all);
    s.save(s.record.withInitial(initial));
    s.members.reset(0, initial);
    s.awaitLeader();
  }
}
