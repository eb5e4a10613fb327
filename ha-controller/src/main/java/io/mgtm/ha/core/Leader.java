package io.mgtm.ha.core;

import io.mgtm.ha.core.ClusterCommand.Lead;
import io.mgtm.ha.core.Grant.Order;
import io.mgtm.ha.core.LeaderEffects.Reply;
import io.mgtm.ha.core.LeaderEffects.Reply.Outcome;
import io.mgtm.ha.core.Placement.Stage;
import io.mgtm.ha.model.Timing;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What the controller does whose member leads the log; the others only listen to heartbeats, so
 * that the next leader knows what a dead node said last. Owner thread.
 *
 * <p>It appends one batch at a time, decided on committed state only: a node may be granted what is
 * committed while the next batch is on its way.
 */
public final class Leader {
  private static final int ASKED_MAX = 64;
  private static final int BATCH_MAX = 64;
  private static final int NODES_MAX = 64;

  private static final Contact NOBODY = new Contact();

  /** Where a witness is heard. */
  private static final String LOG_PATH = "log";

  private final String node;
  private final LeaderEffects effects;
  private final Function<Observation, List<Decision>> decide;
  private final Map<String, Contact> contacts = new TreeMap<>();
  private final Fences fences;
  private final Deque<Request> asked = new ArrayDeque<>();
  private final List<Request> appendedRequests = new ArrayList<>();

  private boolean leading;
  private long term;

  /** Whether this term's Lead is committed: before, nothing is granted. */
  private boolean begun;

  private ClusterState committed = ClusterState.EMPTY;

  /** What the batch under way leads to; null when none is. */
  private ClusterState appended;

  private long since;
  private long timeAtStart;
  private long othersOverAt;

  /** Since when the log confirms and the time is told without a gap. */
  private long steadySince;

  private long lastConfirmed;
  private long lastTick;

  private record Request(long id, String by, OperatorCommand command) {}

  public Leader(String node, LeaderEffects effects) {
    this(node, effects, Decisions::decide);
  }

  /** For simulations, which plant faults into what is observed. */
  Leader(String node, LeaderEffects effects, Function<Observation, List<Decision>> decide) {
    this.node = node;
    this.effects = effects;
    this.fences = new Fences(effects);
    this.decide = decide;
  }

  /** A heartbeat came, on a path; also while another member leads. */
  public void heard(Heartbeat heartbeat, String path, long now) {
    Contact contact = contact(heartbeat.node());
    if (contact == null) {
      return;
    }
    long above = begun ? contact.overtakenBy(heartbeat, committed, now) : 0;
    if (above > 0) {
      effects.send(Grant.overtaken(heartbeat.node(), above, seen()));
      return;
    }
    if (!contact.heard(heartbeat, path, now)) {
      return;
    }
    Heartbeat before = contact.last;
    contact.last = heartbeat;
    contact.heardAt = now;
    fences.close(contact);
    if (!begun) {
      return;
    }
    boolean hears =
        !contact.hasFormer(now, committed.leasesOverMs())
            && heartbeat.seen().term() == term
            && (before == null
                || heartbeat.incarnation() != before.incarnation()
                || heartbeat.answered() > before.answered());
    if (hears) {
      contact.inContact(now, timing().leaseMs());
    }
    contact.unanswered = heartbeat;
    contact.readIndex = effects.confirm();
  }

  /** Who is connected with this member's log; a witness, which only votes, is heard by it alone. */
  public void connected(Collection<String> members, long now) {
    if (!begun || committed.config() == null) {
      return;
    }
    committed
        .config()
        .witness()
        .filter(members::contains)
        .map(this::contact)
        .ifPresent(
            contact -> {
              contact.heardOn(LOG_PATH, now);
              contact.inContact(now, timing().leaseMs());
            });
  }

  /** Which machines are the members of the log; also while another member leads. */
  public void members(Map<String, String> identities, long now) {
    identities.forEach(
        (name, identity) ->
            contacts.computeIfAbsent(name, each -> new Contact()).is(identity, now));
  }

  /** Null when there are too many. */
  private Contact contact(String name) {
    return contacts.size() < NODES_MAX || contacts.containsKey(name)
        ? contacts.computeIfAbsent(name, each -> new Contact())
        : null;
  }

  /** This member leads: {@code state} is what it has applied. */
  public void leading(long newTerm, ClusterState state, long now, long wall) {
    following();
    leading = true;
    term = newTerm;
    committed = state;
    since = now;
    timeAtStart = state.at();
    // Nobody can have been granted anything by another leader after this one began.
    othersOverAt = now + state.leasesOverMs();
    steadySince = now;
    lastConfirmed = now;
    lastTick = now;
    Decision lead =
        new Decision(
            new Lead(term, node),
            Decision.BY_ITSELF,
            "a majority of the controllers has elected it",
            Map.of());
    Batch batch = batch(List.of(lead), now, wall);
    appended = state.apply(batch);
    effects.append(batch, appended);
  }

  /** This member does not lead (any more). */
  public void following() {
    leading = false;
    begun = false;
    appended = null;
    contacts.values().forEach(fences::close);
    contacts.values().forEach(Contact::forgetTerm);
    Reply doubt =
        new Reply(Outcome.IN_DOUBT, "the leader has changed: look whether it has been done");
    appendedRequests.forEach(request -> effects.reply(request.id(), doubt));
    appendedRequests.clear();
    while (!asked.isEmpty()) {
      effects.reply(asked.remove().id(), new Reply(Outcome.NOT_LEADING, ""));
    }
  }

  /** What was appended last, in this term, is committed. */
  public void committed(long now, long wall) {
    if (!leading || appended == null) {
      return;
    }
    ClusterState before = committed;
    committed = appended;
    appended = null;
    begun = true;
    appendedRequests.forEach(request -> effects.reply(request.id(), new Reply(Outcome.DONE, "")));
    appendedRequests.clear();
    if (!before.timing().equals(timing())) {
      steadySince = now; // nodes with the former timing are heard as rarely as that says
    }
    answerAgain(before, now);
    propose(now, wall);
  }

  /** Nodes that have new orders need not wait for their next heartbeat. */
  private void answerAgain(ClusterState before, long now) {
    for (Map.Entry<String, Placement> each : committed.placements().entrySet()) {
      Placement placement = each.getValue();
      Contact contact = contacts.get(placement.node());
      boolean marked =
          !Objects.equals(
              before.copies().get(each.getKey()), committed.copies().get(each.getKey()));
      if ((marked || placement.changed() > before.version())
          && contact != null
          && contact.contactAt != Long.MIN_VALUE
          && now - contact.contactAt <= 2L * timing().heartbeatMs()) {
        contact.unanswered = contact.last;
        contact.readIndex = effects.confirm();
      }
    }
  }

  /** The log has confirmed reads up to this index, in this term. */
  public void confirmed(long readIndex, long now) {
    if (!begun) {
      return;
    }
    if (now - lastConfirmed > timing().leaseMs() / 2) {
      steadySince = now;
    }
    lastConfirmed = now;
    for (Contact contact : contacts.values()) {
      if (contact.unanswered != null && contact.readIndex <= readIndex) {
        Heartbeat heartbeat = contact.unanswered;
        contact.unanswered = null;
        answer(heartbeat, contact, now);
      }
    }
  }

  private void answer(Heartbeat heartbeat, Contact contact, long now) {
    if (contact.hasFormer(now, committed.leasesOverMs())) {
      return;
    }
    fences.close(contact);
    Map<String, Order> orders = committed.orders(heartbeat.node());
    for (String hierarchy : orders.keySet()) {
      contact.overAt.merge(hierarchy, now + timing().leaseOverMs(), Math::max);
    }
    effects.send(
        new Grant(
            heartbeat.node(),
            heartbeat.incarnation(),
            heartbeat.seq(),
            heartbeat.sentAt(),
            seen(),
            timing().leaseMs(),
            timing().guardMs(),
            orders));
  }

  /** An operator's command, answered by {@link LeaderEffects#reply}. */
  public void asked(long request, String by, OperatorCommand command, long now, long wall) {
    if (!leading) {
      effects.reply(request, new Reply(Outcome.NOT_LEADING, ""));
    } else if (asked.size() >= ASKED_MAX) {
      effects.reply(
          request,
          new Reply(Outcome.REFUSED, ASKED_MAX + " commands are waiting already: try again later"));
    } else {
      asked.add(new Request(request, by, command));
      propose(now, wall);
    }
  }

  /** A fence agent that was asked for by this member, in whatever term, has ended. */
  public void fenced(FenceAnswer answer, long now, long wall) {
    if (leading) {
      fences.answered(answer, contacts.get(answer.node()));
      propose(now, wall);
    }
  }

  /** Time has passed; to be called several times in each {@code heartbeatMs}. */
  public void tick(long now, long wall) {
    if (!leading) {
      return;
    }
    if (now - lastTick > timing().leaseMs() / 2) {
      // It stood still: what it has not heard meanwhile is waiting to be read.
      steadySince = now;
    }
    lastTick = now;
    propose(now, wall);
    fence(now);
  }

  private void propose(long now, long wall) {
    if (!begun || appended != null) {
      return;
    }
    Observation seen = observe(now);
    ClusterState after = committed;
    List<Decision> batch = new ArrayList<>();
    while (!asked.isEmpty() && batch.size() < BATCH_MAX) {
      Request request = asked.remove();
      String refusal = new Observation(seen.at(), after, seen.nodes()).refusal(request.command());
      if (!refusal.isEmpty()) {
        effects.reply(request.id(), new Reply(Outcome.REFUSED, refusal));
        continue;
      }
      appendedRequests.add(request);
      Decision decision =
          new Decision(request.command(), request.by(), "an operator has asked", Map.of());
      batch.add(decision);
      after = after.apply(batch(List.of(decision), now, wall));
    }
    // Not in one batch with what operators ask: a node may still be granted what they change.
    if (batch.isEmpty()) {
      List<Decision> decisions = fences.takeEvents();
      decisions.addAll(decide.apply(seen));
      for (Decision decision : decisions) {
        if (batch.size() < BATCH_MAX && after.refusal(decision.command()).isEmpty()) {
          batch.add(decision);
          after = after.apply(batch(List.of(decision), now, wall));
        }
      }
    }
    if (!batch.isEmpty()) {
      appended = after;
      effects.append(batch(batch, now, wall), after);
    }
  }

  private Batch batch(List<Decision> decisions, long now, long wall) {
    return new Batch(Batch.FORMAT, time(now), wall, decisions);
  }

  private long time(long now) {
    return timeAtStart + (now - since);
  }

  private Observation observe(long now) {
    return new Observation(time(now), committed, views(now));
  }

  /** What is known of each node of the configuration. */
  public Map<String, NodeView> views(long now) {
    Map<String, NodeView> views = new TreeMap<>();
    if (committed.config() == null) {
      return views;
    }
    for (String name : committed.config().nodes().keySet()) {
      views.put(name, view(contacts.getOrDefault(name, NOBODY), now));
    }
    return views;
  }

  private NodeView view(Contact contact, long now) {
    long silentMs = now - Math.max(contact.contactAt, steadySince);
    boolean contactNow =
        contact.contactAt != Long.MIN_VALUE && now - contact.contactAt <= timing().leaseMs();
    return new NodeView(
        silentMs,
        contactNow ? now - contact.contactSince : 0,
        contact.hasFormer(now, committed.leasesOverMs()) ? null : contact.last,
        contact.over(committed.placements().keySet(), othersOverAt, now),
        Fences.counting(contact, committed.placements()),
        contact.paths(now));
  }

  /**
   * Only while a grant to this node, which the log has confirmed, is young: a leader that is cut
   * off would have those switched off that serve by now, or itself.
   */
  private void fence(long now) {
    Contact own = contacts.get(node);
    if (own == null
        || own.contactAt == Long.MIN_VALUE
        || now - own.contactAt > timing().leaseMs() / 2) {
      return;
    }
    for (Placement placement : committed.placements().values()) {
      if (placement.stage() == Stage.REVOKED) {
        Contact contact = contact(placement.node());
        if (contact != null && now - Math.max(contact.heardAt, steadySince) > timing().leaseMs()) {
          fences.ask(placement, contact, committed.placements());
        }
      }
    }
  }

  private Seen seen() {
    return new Seen(term, committed.version());
  }

  private Timing timing() {
    return committed.timing();
  }
}
