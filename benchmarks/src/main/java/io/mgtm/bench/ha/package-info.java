/**
 * Clusters of HA controllers whose machines are namespaces of this one, and what is done to them.
 */
package io.mgtm.bench.ha;
