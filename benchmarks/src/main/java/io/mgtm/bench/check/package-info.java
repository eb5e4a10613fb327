/**
 * What a client may believe of a GTM, checked from outside: it sees requests go and replies come,
 * and reports what no correct GTM could have answered.
 */
package io.mgtm.bench.check;
