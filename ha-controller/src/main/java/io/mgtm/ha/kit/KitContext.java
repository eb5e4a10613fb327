package io.mgtm.ha.kit;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Where and with what a kit is called.
 *
 * @param hierarchy the hierarchy's name
 * @param resource the resource's name
 * @param node this node's name
 * @param peers the other nodes of the hierarchy
 * @param parameters what the configuration says for this node
 * @param runtime a folder of this resource's own, on a file system that is empty after a boot
 * @param deadlineMs so long the call may take; programs that it runs are ended by then
 */
public record KitContext(
    String hierarchy,
    String resource,
    String node,
    List<String> peers,
    Map<String, String> parameters,
    Path runtime,
    long deadlineMs) {}
