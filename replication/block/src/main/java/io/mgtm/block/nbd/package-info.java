/**
 * The NBD protocol, server side, after doc/proto.md of NetworkBlockDevice/nbd: fixed newstyle
 * negotiation, structured replies, block status, TLS by STARTTLS. A connection's handlers run on
 * the event loop that owns the volume.
 */
package io.mgtm.block.nbd;
