/** What can be set for a query replicator: one immutable record, read once. */
package io.mgtm.query.config;
