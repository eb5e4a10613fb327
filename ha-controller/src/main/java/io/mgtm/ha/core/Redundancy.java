package io.mgtm.ha.core;

import io.mgtm.ha.core.Grant.Copies;
import io.mgtm.ha.core.Placement.Stage;
import io.mgtm.ha.core.Report.ResourceState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What the replicated data of what is in service lack, for people to see first. */
public final class Redundancy {
  /** Keys of what a kit says, see {@link io.mgtm.ha.kit.VolumeKit#data}. */
  private static final String WARNING = "warning";

  private static final String WHY = "why.";

  private Redundancy() {}

  /**
   * A sentence for each resource whose data are on fewer nodes than they should be.
   *
   * @param reports by node and hierarchy, as they were heard last
   */
  public static List<String> warnings(
      ClusterState state, Map<String, Map<String, Report>> reports) {
    List<String> warnings = new ArrayList<>();
    state
        .placements()
        .forEach(
            (hierarchy, placement) -> {
              Report report =
                  reports.getOrDefault(placement.node(), Map.of()).getOrDefault(hierarchy, null);
              if (placement.stage() == Stage.HELD && report != null) {
                Map<String, Copies> copies = state.copies().getOrDefault(hierarchy, Map.of());
                for (String resource : report.copies().keySet()) {
                  String lacks = lacks(resource, placement.node(), report, copies.get(resource));
                  if (!lacks.isEmpty()) {
                    warnings.add(
                        "%s: %s on %s: %s".formatted(hierarchy, resource, placement.node(), lacks));
                  }
                }
              }
            });
    return warnings;
  }

  private static String lacks(String resource, String node, Report report, Copies known) {
    if (report.resources().get(resource) != ResourceState.IN) {
      return "";
    }
    Map<String, String> facts = report.facts().getOrDefault(resource, Map.of());
    String said = facts.getOrDefault(WARNING, "");
    if (said.isEmpty() && known != null && others(known, node).isEmpty()) {
      said = "NOT PROTECTED: no other node's copy is up to date";
    }
    String why =
        facts.entrySet().stream()
            .filter(each -> each.getKey().startsWith(WHY))
            .map(each -> each.getKey().substring(WHY.length()) + ": " + each.getValue())
            .collect(Collectors.joining("; "));
    return said.isEmpty() || why.isEmpty() ? said + why : said + "; " + why;
  }

  /** Asynchronous copies that follow count: more is not asked of them. */
  private static Set<String> others(Copies known, String node) {
    Set<String> others = new TreeSet<>(known.upToDate());
    others.addAll(known.following());
    others.remove(node);
    return others;
  }
}
