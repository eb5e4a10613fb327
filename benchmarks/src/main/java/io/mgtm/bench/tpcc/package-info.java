/**
 * A small TPC-C over JDBC, after the facts of the TPC-C specification, revision 5.11, and in the
 * manner of JdbcRunner's Tiny TPC-C: its tables, its five transactions and their mix, and the
 * conditions that its tables must meet. No terminals, keying times or audit: what it measures is
 * not a TPC-C result. What is drawn stands apart from what speaks SQL.
 */
package io.mgtm.bench.tpcc;
