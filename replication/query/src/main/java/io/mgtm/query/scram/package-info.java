/** SCRAM-SHA-256 (RFC 5802, RFC 7677) as PostgreSQL speaks it, for both ends, without sockets. */
package io.mgtm.query.scram;
