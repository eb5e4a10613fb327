package io.mgtm.ha.core;

import io.mgtm.ha.core.Call.Result;
import io.mgtm.ha.core.Grant.Copies;
import io.mgtm.ha.core.Report.ResourceState;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a node says of the copies of a hierarchy's data, and tells kits that the state has. */
final class CopyWords {
  private final NodeAgent agent;
  private long marks;

  CopyWords(NodeAgent agent) {
    this.agent = agent;
  }

  /** Takes what a kit said; whatever is new gets a mark of its own. */
  void said(AgentResource resource, Result result, long epoch) {
    Map<String, String> data = result.data();
    if (data.isEmpty()) {
      // The copy is judged by what was said of it last; what is for people is as old as that.
      Map<String, String> kept = new LinkedHashMap<>(resource.data);
      kept.keySet().retainAll(CopyReport.KEYS);
      resource.data = Collections.unmodifiableMap(kept);
      return;
    }
    // A primary that is not in service does not know whom it has left behind.
    boolean primary =
        epoch > 0 && result.state() == ResourceState.IN && data.containsKey(CopyReport.IN_SYNC);
    if (primary && !resource.sameWord(data, epoch)) {
      marks++;
      Mark mark = new Mark(epoch, agent.incarnation(), marks, resource.joinsKnown);
      resource.word = CopyReport.of(data, agent.node(), mark);
      resource.wordData = Map.copyOf(data);
      agent.changed();
    }
    resource.data = Collections.unmodifiableMap(new LinkedHashMap<>(data));
  }

  /** Takes what the state has: the kit is told at once when it waits for that. */
  void granted(AgentResource resource, Copies copies) {
    boolean before = resource.isNoted();
    resource.granted = copies;
    resource.toTell |= !before && resource.isNoted();
    if (resource.toTell) {
      resource.nextQuickCheck = Long.MIN_VALUE;
    }
  }
}
