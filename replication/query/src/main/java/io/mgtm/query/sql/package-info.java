/**
 * What a statement may do, told from its text and from what is known of the database: pure, without
 * sockets or clocks. When in doubt a statement is neither read-only nor key-local.
 */
package io.mgtm.query.sql;
