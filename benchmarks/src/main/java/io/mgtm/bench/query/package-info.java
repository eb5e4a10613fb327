/** The query replicator beside plain PostgreSQL and pgpool, and what its clients see of deaths. */
package io.mgtm.bench.query;
