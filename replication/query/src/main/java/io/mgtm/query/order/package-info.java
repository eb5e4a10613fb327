/**
 * What the log of commits means: its entries, which servers are in, and what a server misses. Pure.
 */
package io.mgtm.query.order;
