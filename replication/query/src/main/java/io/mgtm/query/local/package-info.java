/** PostgreSQL servers of one's own on this machine, for demonstrations and tests. */
package io.mgtm.query.local;
