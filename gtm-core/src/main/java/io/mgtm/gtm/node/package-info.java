/**
 * A GTM node: puts the log, the state, the engines and the sockets together. One thread owns the
 * state: the first event loop, which also reads and writes sockets unless there are several.
 */
package io.mgtm.gtm.node;
