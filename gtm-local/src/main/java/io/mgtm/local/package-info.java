/**
 * A whole installation on one machine: group members and a proxy, each a process of its own, or all
 * in this one. For a first look, for demonstrations, and for tests with real faults.
 */
package io.mgtm.local;
