package io.mgtm.ha.core;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;

/**
 * How a hierarchy stands on a node.
 *
 * @param epoch the epoch that the node obeys, 0 for none
 * @param recoveries how often this incarnation has repaired something in place
 * @param detail a sentence for people; why, when it has failed
 * @param failed the resource that has failed, empty when none has
 * @param served when it has failed: whether it was in service under this epoch before, so that it
 *     is not its start that has failed
 * @param resources by name
 * @param copies of replicated data, by resource
 * @param facts what kits know of their resources, by resource, for people to see
 */
public record Report(
    State state,
    long epoch,
    int recoveries,
    String failed,
    String detail,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean served,
    Map<String, ResourceState> resources,
    Map<String, CopyReport> copies,
    Map<String, Map<String, String>> facts) {

  /** Part of the detail of what is in service, and has failed, in maintenance. */
  public static final String LEFT_ALONE = "has failed, and is left alone in maintenance";

  /** Only of what has failed it is said what and when. */
  public Report {
    boolean given = state == State.FAILED || state == State.STUCK;
    failed = given ? failed : "";
    served = given && served;
  }

  /** How a hierarchy is on a node. */
  public enum State {
    /** Nobody has looked yet, or nobody has said yet what shall be. */
    UNKNOWN,
    /** All of it is surely out: taken out by this incarnation, and nothing begun since. */
    OUT,
    STARTING,
    IN,
    RECOVERING,
    STOPPING,
    /** Cannot be in service here; it is for the leader to say what shall be. */
    FAILED,
    /** Cannot be taken out of service here. */
    STUCK
  }

  /** How a resource is on a node. */
  public enum ResourceState {
    UNKNOWN,
    OUT,
    STARTING,
    IN,
    STOPPING,
    FAILED
  }
}
