/**
 * The least that a replicated GTM behind a proxy can cost: processes that pass the same requests
 * over the same hops and do nothing else, to measure a real group against.
 */
package io.mgtm.bench.floor;
