/**
 * Sockets, sessions and the log around the state. One thread owns the state: the first event loop,
 * which also reads and writes sockets unless there are several. A reply leaves only after its entry
 * is committed.
 */
package io.mgtm.gtm.server;
