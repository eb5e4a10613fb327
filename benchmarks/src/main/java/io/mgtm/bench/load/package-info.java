/**
 * Load on a GTM or proxy over the XC 1.2 protocol, as a coordinator's backends make it: each
 * connection has one request under way. It shares a machine with what it measures, so that a
 * request costs as little as it can: no allocation, one write, one read.
 */
package io.mgtm.bench.load;
