/**
 * A client's session. What the client sends is planned, by what its statements may do, and run at
 * the leader server or at one that is read; what the others are to do for it is gathered, and given
 * to them and to the log when the transaction is committed. What the servers answer flows back to
 * the client in its order.
 *
 * <p>Everything of a session - its client's connection, its servers', what it knows of all -
 * belongs to the one event loop that accepted the client; sessions share only what {@link
 * io.mgtm.query.session.Shared} holds.
 */
package io.mgtm.query.session;
