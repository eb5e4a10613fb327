package io.mgtm.query.member;

import io.mgtm.common.HostPort;
import io.mgtm.group.core.Role;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.fleet.OrderLog;
import io.mgtm.query.session.QueryMetrics;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What a member of a group tells operators of the group. Any thread. */
final class GroupView {
  private final QueryConfig config;
  private final OrderLog order;
  private final Succession succession;
  private final Forwards forwards;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  /** As it is scraped. */
  private GroupStatus seen;

  private boolean served;

  GroupView(QueryConfig config, OrderLog order, Succession succession, Forwards forwards) {
    this.config = config;
    this.order = order;
    this.succession = succession;
    this.forwards = forwards;
    gauge("serves", "Whether this replicator serves clients.", view -> view.served ? 1 : 0);
    gauge("term", "Of the group's leader.", view -> view.seen.term());
    gauge(
        "log_committed",
        "Entries that the group has committed.",
        view -> view.seen.committedIndex());
    gauge(
        "members_connected",
        "Members that this one is connected with, itself too.",
        view -> view.seen.connected().size());
    gauge(
        "forwarded",
        "Clients of this replicator that another one serves.",
        view -> view.forwards.count());
    gauge(
        "held", "Clients that wait until a replicator serves.", view -> view.forwards.heldCount());
  }

  /** As {@code mgtm query status} shows it. */
  Map<String, Object> status() throws IOException {
    GroupStatus group = order.status();
    Map<String, Object> status = new LinkedHashMap<>();
    status.put("name", group.name());
    status.put("role", role(group));
    status.put("term", group.term());
    status.put("leader", group.leader());
    status.put("leaderAddress", order.where().address());
    status.put("trouble", succession.trouble());
    status.put("unready", succession.unready());
    status.put("forwarded", forwards.count());
    status.put("held", forwards.heldCount());
    status.put("members", members(group));
    status.put("warnings", group.warnings());
    return status;
  }

  private static String role(GroupStatus group) {
    if (!group.outside().isEmpty()) {
      return "outsider";
    }
    return switch (group.role()) {
      case LEADER -> "leader";
      case FOLLOWER -> "follower";
      case PRE_CANDIDATE, CANDIDATE -> "candidate";
    };
  }

  private List<Map<String, Object>> members(GroupStatus group) {
    Map<String, HostPort> addresses = config.group().memberAddresses();
    List<Map<String, Object>> members = new ArrayList<>();
    for (GroupStatus.Member member : group.members()) {
      boolean known = group.role() == Role.LEADER && member.matchedIndex() >= 0;
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("name", member.name());
      one.put("address", String.valueOf(addresses.get(member.name())));
      one.put("voter", member.voter());
      one.put("connected", group.connected().contains(member.name()));
      one.put("behind", known ? Math.max(0, group.lastIndex() - member.matchedIndex()) : null);
      members.add(one);
    }
    return members;
  }

  /**
   * What is wrong with one that does not serve; empty where that is as it should be, since another
   * one leads.
   */
  String trouble() {
    String leader = order.where().leader();
    if (leader.isEmpty()) {
      return "no replicator leads";
    }
    return leader.equals(config.group().name()) ? succession.trouble() : "";
  }

  /** Who leads. */
  String detail() {
    String leader = order.where().leader();
    return leader.equals(config.group().name()) ? "leads" : "follows " + leader;
  }

  /** For Prometheus; empty where the log does not answer. */
  synchronized String metrics(boolean serves) {
    try {
      seen = order.status();
    } catch (IOException e) {
      return "";
    }
    served = serves;
    return registry.scrape();
  }

  private void gauge(String name, String help, ToDoubleFunction<GroupView> value) {
    Gauge.builder(QueryMetrics.PREFIX + name, this, value).description(help).register(registry);
  }
}
