package io.mgtm.ha.core;

import io.mgtm.ha.model.EventKind;
import java.util.Map;

/**
 * Something that was decided, and why; what {@code mgtm ha why} shows.
 *
 * @param id counts the cluster's events, from 1
 * @param wall milliseconds since 1970, for people
 * @param kind null in events of before there were kinds
 * @param subject a hierarchy, a node, or the cluster
 * @param what one sentence
 */
public record Event(
    long id,
    long wall,
    EventKind kind,
    String subject,
    String what,
    String by,
    String cause,
    Map<String, String> observations) {}
