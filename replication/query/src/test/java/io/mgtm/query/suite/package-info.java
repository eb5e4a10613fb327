/** PostgreSQL's own tests, run through a replicator: docs/query-regression.md. */
package io.mgtm.query.suite;
