/**
 * The GTM's state and its rules, one owner a family. Pure and deterministic: no clock, I/O,
 * threads, randomness or logging; one thread calls it. A client's error is a reply, never an
 * exception; an exception means a broken invariant and stops the node.
 */
package io.mgtm.gtm.state;
